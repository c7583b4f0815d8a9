import HarkWire
import Testing

@testable import HarkCore

@Suite("What a showing keeps of the event that brought it about (R4)")
struct EventBehindTests {
    @Test("values keep their types; what is too long is left out, and of many the first")
    func bounds() {
        let longest = String(repeating: "x", count: 250)
        let mixed: [(String, PropertyValue)] = [
            ("plan", .string("pro")), ("n", .integer(-3)), ("share", .double(0.5)), ("trial", .bool(false)),
            ("", .string("")), ("caf\u{E9}", .string("1")), ("cafe\u{301}", .string("2")),
        ]
        #expect(Properties(mixed).kept == Properties(mixed))
        let long = [("a", PropertyValue.string(longest)), ("b", .string(longest + "xxxxx")), ("c", .bool(true))]
        #expect(Properties(long).kept.members.map(\.key) == ["a", "c"])
        #expect(Properties([(String(repeating: "k", count: 300), .integer(1))]).kept.isEmpty)
        // The fifth has no room, and a short one behind it has.
        let large = (1...6).map { ("\($0)", PropertyValue.string($0 == 6 ? "" : longest.dropLast(10).description)) }
        #expect(Properties(large).kept.members.map(\.key) == ["1", "2", "3", "4", "6"])
        let many = (1...40).map { ("p\($0)", PropertyValue.integer($0)) }
        #expect(Properties(many).kept == Properties(Array(many.prefix(16))))
        #expect(Properties([("a", .integer(1)), ("a", .integer(2))]).kept == Properties([("a", .integer(1))]))
        #expect(Properties(large).kept.kept == Properties(large).kept)
    }

    @Test(
        "those of an event are kept from its start to its end, those of a survey that follows without texts of the person"
    )
    func story() throws {
        let content = SurveyContent(
            title: "T", message: "M", responseType: .combined,
            questionnaire: Questionnaire([
                Question(id: "option", kind: .single([.init("Great"), .init("Poor")])),
                Question(id: "text", kind: .text(.init()), isRequired: false),
            ]))
        var stage = Stage([
            Samples.survey("first", content: content), Samples.survey("next", event: "survey_response"),
        ])
        try stage.startSession("ada")
        try stage.record("done", [("plan", .string("pro")), ("n", .integer(3))])
        let kept = Properties([("plan", .string("pro")), ("n", .integer(3))])
        #expect(stage.presentations.map(\.trigger) == [kept])
        let shown = try #require(try stage.presentNext())
        stage.restart()
        _ = try stage.presentNext()
        try stage.answer(shown.id, option: "Great", text: "a secret")
        #expect(stage.presentations.first { $0.survey == "first" }?.trigger == kept)
        let next = try #require(stage.presentations.first { $0.survey == "next" })
        #expect(next.trigger["option"] == .string("Great") && next.trigger["id"] == .string("first"))
        #expect(next.trigger["text"] == nil && next.trigger["comment"] == nil)
        #expect(stage.events("survey_response").first?["comment"] == "a secret")
    }

    @Test("of several questions too, whatever they are called, only texts are left out")
    func questions() throws {
        let content = SurveyContent(
            title: "T", message: "M", responseType: .questions,
            questionnaire: Questionnaire([
                Question(id: "\u{301}x", kind: .text(.init())), Question(id: "nps", kind: .nps),
                Question(id: "plan", kind: .single([.init("pro")])),
            ]))
        var stage = Stage([
            Samples.survey("first", content: content), Samples.survey("next", event: "survey_response"),
        ])
        try stage.startSession("ada")
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, answers: ["\u{301}x": "a secret", "nps": 9, "plan": "pro"])
        let next = try #require(stage.presentations.first { $0.survey == "next" })
        #expect(next.trigger["answer.nps"] == .integer(9) && next.trigger["answer.plan"] == .string("pro"))
        #expect(!next.trigger.members.contains { $0.value == .string("a secret") })
        // The first showing keeps its event's properties, which are not those of its answers.
        #expect(stage.presentations.first { $0.survey == "first" }?.trigger == Properties.none)
    }

    @Test("what waits counts with it, and a survey comes without where there is no room for more")
    func room() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour) { $0.oncePerSession = false }])
        try stage.startSession("ada")
        try stage.record("done", [("plan", .string("pro"))])
        let size = Properties([("plan", .string("pro"))]).byteCount
        let first = try #require(stage.presentations.first)
        #expect(first.size == Amount(count: 1, bytes: size))
        var closed = first
        closed.state = .expired
        #expect(closed.size == Amount())
        try stage.startSession("bob")
        for (room, isKept) in [(size, true), (size - 1, false)] {
            let held = Amount(count: 1, bytes: Limits.presentationBytesPerUser - room)
            stage.engine.admit(held, .presentations, of: Stage.uid)
            try stage.startSession("bob \(room)")
            try stage.record("done", [("plan", .string("pro"))])
            #expect(stage.presentations.last?.trigger.isEmpty == !isKept)
        }
        #expect(stage.presentations.count == 3)
    }

    static let names: [(String, ResultField?)] = [
        ("locale", .locale), ("surface", .surface), ("zone", .zone), ("@app", .app), ("@machine", .machine),
        ("@group", .group), ("plan", .property("plan")), ("property.locale", .property("locale")),
        ("property.property.x", .property("property.x")), ("property.@x", .property("@x")), ("@@x", .property("@x")),
        ("@@@x", .property("@@x")), ("machine", .property("machine")), ("property", .property("property")),
        ("cart.total", .property("cart.total")), ("Locale", .property("Locale")), ("", nil), ("property.", nil),
        ("@usr", nil), ("@", nil), ("@@", .property("@")),
    ]

    @Test("what results are parted by has a name for every property", arguments: names)
    func naming(name: String, field: ResultField?) { #expect(ResultField(name) == field) }

    @Test("a name that says nothing is refused with how to write it")
    func refusal() {
        let type = MemberType<String>.resultField
        #expect(type.read("@usr") == nil && type.read(3) == nil)
        let words = type.words(for: "@grup")
        #expect(words.contains("did you mean '@group'?") && words.contains("is written '@@grup'"), "\(words)")
        #expect(type.words(for: "@xyzzy").contains("no showing has '@xyzzy'. A property"))
        #expect(type.words(for: "").contains("the name of a property, or one of locale"))
    }

    private static func part(_ value: PropertyValue?, _ number: Int) -> Presentation {
        var presentation = ResultsTests.presentation(number, .expired)
        if let value { presentation.trigger = Properties([("other", .integer(7)), ("plan", value)]) }
        return presentation
    }

    @Test("parts are told by the type of their value too, in the order of numbers and of letters")
    func parts() throws {
        let waves = SurveyWaves(survey: "s", by: .property("plan"))
        let values: [PropertyValue?] = [
            .string("3"), .integer(3), .double(3), .integer(10), .integer(-2), .double(2.5), .double(-0.25),
            .string("b"),
            .string("B"),
            .string(""), .bool(true), .bool(false), .double(1e300), nil, nil, .string("true"), .string("\"\n"),
        ]
        for (number, value) in values.enumerated() { waves.add(Self.part(value, number)) }
        let json = JSONWriter.object { waves.writeMembers(to: &$0, survey: nil) }
        let parts = try JSONDocument(json, .json).value["parts"]?.arrayValue ?? []
        let found = parts.map { "\($0["by"] ?? "?") \($0["shown"] ?? 0)" }
        let texts = ["", "\"\n", "3", "B", "b", "true"].map { "\(JSONValue.string($0)) 1" }
        let least = ["null 2"] + texts
        #expect(Array(found.prefix(7)) == least, "\(found)")
        #expect(
            Set(found.dropFirst(7)) == [
                "-2 1", "3 2", "10 1", "-0.25 1", "2.5 1", "1e+300 1", "false 1", "true 1",
            ], "\(found)")
        let integers = found.filter { ["-2 1", "3 2", "10 1"].contains($0) }
        #expect(integers == ["-2 1", "3 2", "10 1"], "\(found)")
    }

    @Test("on a hub, a machine is meant where no property is so called")
    func machine() throws {
        let waves = SurveyWaves(survey: "s", by: .property("machine"))
        #expect(waves.asksForMachine && waves.asksForProperty)
        var own = Self.part(nil, 1)
        own.trigger = Properties([("machine", .integer(7))])
        let kiosk = MachineIdentity(row: 1, name: "kiosk-1", group: nil, log: Identifier(high: 1, low: 1))
        waves.add(own, on: kiosk)
        waves.add(Self.part(nil, 2), on: kiosk)
        waves.add(Self.part(nil, 3))
        let json = JSONWriter.object { waves.writeMembers(to: &$0, survey: nil) }
        let parts = try JSONDocument(json, .json).value["parts"]?.arrayValue ?? []
        #expect(parts.map { $0["by"] } == [.null, "kiosk-1", 7])
    }
}
