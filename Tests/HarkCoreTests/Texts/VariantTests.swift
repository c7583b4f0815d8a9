import HarkWire
import Testing

@testable import HarkCore

/// Wordings that are drawn (K4).
@Suite struct VariantTests {
    private static func members(_ weight: Double = 1) -> String {
        """
        "id": "s", "title": "Usual", "message": "M", "options": ["Good", "Bad"], "oncePerSession": false,
        "notification": {"title": "N", "body": "B"},
        "variants": [{"id": "a"}, {"id": "b", "weight": \(weight), "title": "Other", "options": ["Fine", "Poor"],
            "notification": {"title": "N2", "body": "B2"}, "translations": {"de": {"title": "Anders"}}}],
        "translations": {"de": {"title": "Üblich", "message": "Nachricht"}}, "trigger": {"event": {"name": "done"}}
        """
    }

    private static func survey(_ weight: Double = 1) throws -> Survey {
        let (survey, issues) = try Samples.read(members(weight))
        #expect(issues == DocumentIssues())
        return try #require(survey)
    }

    private static func draw(_ user: String?, _ stage: inout Stage) throws -> Presentation {
        try stage.startSession(user)
        try stage.record("done")
        return try #require(stage.presentations(.ready).last { $0.user.userId == user })
    }

    @Test("a user keeps the wording, also over a restart and with other weights; of many users each gets its share")
    func stable() throws {
        var stage = Stage([try Self.survey(3)])
        var drawn: [String: String] = [:]
        for number in 0..<400 { drawn["u\(number)"] = try Self.draw("u\(number)", &stage).times.variant }
        let share = drawn.values.count { $0 == "b" }
        #expect((260...340).contains(share), "\(share)")
        stage.restart()
        stage.configure(SurveyConfiguration([try Self.survey(0.001)]))
        for number in 0..<20 {
            let user = "u\(number)"
            try stage.startSession(user)
            let shown = try #require(try stage.presentNext())
            #expect(shown.times.variant == drawn[user])
            try stage.dismiss(shown.id)
            try stage.record("done")
            let again = stage.presentations(.ready).last { $0.user.userId == user }
            #expect(again?.times.variant == drawn[user])
        }
    }

    @Test("at a kiosk each showing is drawn anew")
    func kiosk() throws {
        var stage = Stage([try Self.survey()])
        stage.engine.surveys.kiosks = [KioskPlace(uid: Stage.uid, app: Scope.defaultApp)]
        var found: Set<String> = []
        for _ in 0..<40 {
            found.insert(try Self.draw(nil, &stage).times.variant ?? "")
            stage.pass(1_000)
            for presentation in stage.presentations(.ready) { _ = try stage.expire(presentation.id) }
        }
        #expect(found == ["a", "b"])
    }

    @Test("all texts are those of the variant, in each language, and values of options stay")
    func texts() throws {
        let survey = try Self.survey()
        func told(_ variant: String?, _ locale: String?) throws -> JSONValue {
            var presentation = Presentation(
                id: Identifier("0199e0f4-8c7a-7000-8000-000000000000")!, survey: "s",
                user: UserKey(uid: 1, userId: nil),
                app: "x", origin: Identifier("0199e0f4-8c7a-7000-8000-000000000000")!, createdAt: Stage.start,
                state: .ready,
                dueAt: Stage.start)
            presentation.times.variant = variant
            presentation.locale = locale
            var json = JSONWriter()
            presentation.write(to: &json, survey: survey)
            return try JSONDocument(json.bytes, .json).value
        }
        let usual = try told("a", nil)
        #expect(usual["title"] == "Usual" && usual["notification"]?["title"] == "N")
        #expect(try told("gone", nil)["title"] == "Usual" && told(nil, "de")["title"] == "Üblich")
        let other = try told("b", nil)
        #expect(other["title"] == "Other" && other["message"] == "M" && other["notification"]?["body"] == "B2")
        #expect(other["questions"]?[0]?["options"]?[0]?["value"] == "Good")
        #expect(other["questions"]?[0]?["options"]?[0]?["label"] == "Fine")
        let german = try told("b", "de-AT")
        #expect(german["title"] == "Anders" && german["message"] == "Nachricht")
    }

    @Test("the three events and the showing say which it was, and versions are told apart")
    func recorded() throws {
        var stage = Stage([try Self.survey(1_000)])
        _ = try Self.draw("ada", &stage)
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, option: "Fine")
        #expect(stage.events("survey_presented").first?["variant"] == "b")
        let response = try #require(stage.events("survey_response").first)
        #expect(response["variant"] == "b" && response["title"] == "Other" && response["option"] == "Good")
        let closed = try #require(stage.presentations(.answered).first)
        #expect(String(decoding: closed.shown, as: UTF8.self).contains(#""title":"Other""#))
        let record = try #require(
            Presentation(record: closed.recordProperties, named: closed.recordName, uid: Stage.uid))
        #expect(record.times.variant == "b")
    }

    @Test("results are parted by variant, and each is compared with the first")
    func results() throws {
        let survey = try Self.survey()
        let waves = SurveyWaves(survey: "s", by: .variant)
        var stage = Stage([survey])
        for number in 0..<200 {
            _ = try Self.draw("u\(number)", &stage)
            let shown = try #require(try stage.presentNext())
            let isOther = shown.times.variant == "b"
            try stage.answer(shown.id, option: .string(isOther && number % 4 > 0 || number % 4 == 0 ? "Good" : "Bad"))
        }
        let answered = stage.presentations(.answered)
        for presentation in answered { waves.add(presentation) }
        let json = JSONWriter.object { waves.writeMembers(to: &$0, survey: survey) }
        let told = try JSONDocument(json, .json).value
        #expect(told["parts"]?[0]?["by"] == "a" && told["parts"]?[1]?["by"] == "b", "\(told)")
        let first = told["parts"]?[0]?["questions"]?[0]?["answers"]?[0]
        let second = told["parts"]?[1]?["questions"]?[0]?["answers"]?[0]
        #expect(first?["change"] == nil && first?["share"] != nil)
        let change = try #require(second?["change"])
        #expect((change["value"]?.doubleValue ?? 0) > 0.5 && (change["low"]?.doubleValue ?? 0) > 0.4, "\(change)")
    }

    static let faults: [(variants: String, path: String, says: String)] = [
        (#"[{"id": "a"}]"#, ".variants", "from 2 to 20"),
        (#"[{"id": "a"}, {"id": "a"}]"#, ".variants[1].id", "another variant 'a'"),
        (#"[{"id": "a"}, {"title": "x"}]"#, ".variants[1]", "'id' is missing"),
        (#"[{"id": "a"}, {"id": "b", "weight": 0}]"#, ".variants[1].weight", "must be"),
        (#"[{"id": "a"}, {"id": "b", "options": ["x"]}]"#, ".variants[1].options", "as many texts"),
    ]

    @Test("what is wrong with variants is said when the file is read", arguments: faults)
    func refusals(variants: String, path: String, says: String) throws {
        let issues = try Samples.read(
            #""id": "s", "title": "t", "message": "m", "options": ["x", "y"], "variants": \#(variants), "trigger": {"event": {"name": "e"}}"#
        ).issues
        #expect(
            issues.errors.contains { $0.path == "$.surveys[0]" + path && $0.message.contains(says) }, "\(issues)")
        let untold = try Samples.read(
            #""id": "s", "title": "t", "message": "m", "options": ["x"], "variants": [{"id": "a"}, {"id": "b", "title": "u"}], "translations": {"de": {"title": "v"}}, "trigger": {"event": {"name": "e"}}"#
        ).issues
        #expect(untold.warnings.count == 1 && untold.warnings[0].path == "$.surveys[0].variants[1]", "\(untold)")
    }
}
