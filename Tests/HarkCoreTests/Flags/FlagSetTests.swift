import HarkCore
import HarkWire
import Testing

/// Flags as a program reads them.
@Suite struct FlagSetTests {
    private static let flags = FlagSet(
        JSONObject([
            ("yes", true), ("word", "text"), ("empty", ""), ("three", 3), ("half", 0.5), ("whole", 4.0),
            ("huge", 1e300), ("list", [1, 2]), ("object", ["a": nil]), ("nothing", nil), ("largest", .int(.max)),
        ]))

    @Test(
        "L8: a flag is its value if it is of the type asked for, and nothing otherwise",
        arguments: [
            ("yes", .bool, true), ("yes", .int, nil), ("yes", .string, nil), ("yes", .double, nil),
            ("word", .string, "text"), ("word", .bool, nil), ("empty", .string, ""),
            ("three", .int, 3), ("three", .double, 3.0), ("three", .bool, nil), ("three", .string, nil),
            ("half", .double, 0.5), ("half", .int, nil), ("whole", .int, 4), ("whole", .double, 4.0),
            ("huge", .int, nil), ("huge", .double, 1e300), ("largest", .int, .int(.max)),
            ("list", .raw, [1, 2]), ("list", .string, nil), ("object", .raw, ["a": nil]), ("object", .bool, nil),
            ("nothing", .raw, nil), ("nothing", .bool, nil), ("absent", .raw, nil), ("", .raw, nil),
        ] as [(String, FlagType, JSONValue)])
    func types(_ name: String, _ type: FlagType, _ expected: JSONValue) {
        #expect(FlagSetTests.flags.value(name, as: type) ?? .null == expected)
    }

    @Test("only an object is a document of flags")
    func documents() {
        #expect(FlagSet.read(["a": ["b": 1]]).0?.members.count == 1)
        #expect(FlagSet.read([:]).0 == FlagSet.none)
        for document in [nil, true, 1, "text", []] as [JSONValue] {
            let (flags, issues) = FlagSet.read(document)
            #expect(flags == nil)
            #expect(issues.errors.map(\.path) == ["$"])
        }
    }
}
