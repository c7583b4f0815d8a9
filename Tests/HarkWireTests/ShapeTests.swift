import HarkWire
import Testing

/// What a value is, as words and as JSON Schema.
@Suite struct ShapeTests {
    @Test(
        "the documentation and errors name a shape in plain words",
        arguments: [
            (Shape.orNull(.string), "a string or null"), (.strings, "an array of strings"), (.id, "an id (UUID)"),
            (.integer(in: 1...3), "an integer"), (.array(.properties), "an array of objects"),
            (.either([.oneOf(["a"]), .string, .object]), "a string or object"),
            (.named("X", .members([])), "an object"),
        ])
    func words(_ shape: Shape, _ words: String) {
        #expect(shape.withArticle == words)
    }

    @Test("bounds are told where there are two")
    func bounds() {
        #expect(Shape.integer(in: 1...1_000).bounds == "1 to 1000")
        #expect(Shape.count.bounds == nil && Shape.integer.bounds == nil && Shape.string.bounds == nil)
    }

    @Test("a schema says what a member has to be, and whether it has to be there")
    func schema() {
        let shape = Shape.members([
            .always("n", .integer(in: 1...9), "how many"), .maybe("at", .orNull(.time)),
            .always("x", .named("X", .bool)),
        ])
        #expect(
            shape.schema == [
                "type": "object",
                "properties": [
                    "n": ["type": "integer", "minimum": 1, "maximum": 9, "description": "how many"],
                    "at": ["anyOf": [["type": "string", "format": "date-time"], ["type": "null"]]],
                    "x": ["$ref": "#/components/schemas/X"],
                ],
                "required": ["n", "x"],
            ])
        #expect(Shape.count.schema == ["type": "integer", "minimum": 0])
        #expect(Shape.map(.any).schema == ["type": "object", "additionalProperties": [:]])
    }

    @Test("what a parameter is read as and what its schema says are one")
    func parameters() {
        #expect(MemberType<CounterLifetime>.lifetime.shape == .oneOf(["instance", "session", "app"]))
        let limit = MemberType<Int64>.integer(in: 1...1_000)
        #expect(limit.shape == .integer(in: 1...1_000))
        #expect(limit.read(1_001) == nil && limit.read(1e3) == 1_000)
        let shapes = CounterRegister.members.map(\.type)
        #expect(shapes[2] == MemberType<CounterLifetime>.lifetime.shape)
        #expect(shapes[4] == .integer(in: 1...Int64(Int32.max)))
    }

    @Test("shapes with names are found wherever they are, each once")
    func named() {
        let inner = Shape.named("Inner", .string)
        let outer = Shape.named("Outer", .members([.maybe("a", .array(.orNull(inner))), .maybe("b", inner)]))
        var found: [(name: String, shape: Shape)] = []
        for shape in [Shape.either([.map(outer), .bool]), inner] { shape.collect(into: &found) }
        #expect(found.map(\.name) == ["Outer", "Inner"])
    }
}
