import HarkWire
import Testing

@testable import HarkCore

/// Surveys whose texts have values (K3).
@Suite struct SurveyTextTests {
    private static let members = """
        "id": "s", "piping": true, "title": "Thanks for {event.amount:money EUR|it}", "message": "Plan {session.plan|none}",
        "questions": [
            {"id": "best", "type": "single", "question": "Best of {event.shop}?", "options": ["A {event.shop}", "B"]},
            {"id": "why", "type": "text", "question": "Why {answer.best}?", "required": false}
        ],
        "thanks": {"title": "Bye {user|you}"}, "notification": {"title": "{event.shop}", "body": "{counter.n} {flag.f|off}"},
        "translations": {"de": {"title": "Danke für {event.amount:money EUR|alles}"}}
        """
    private static let trigger = #", "trigger": {"event": {"name": "done", "scheduleAfterSeconds": 60}}"#

    private static func stage(_ more: String = "") throws -> Stage {
        let (survey, issues) = try Samples.read(members + trigger + more)
        #expect(issues == DocumentIssues())
        var stage = Stage([try #require(survey)])
        try stage.startSession("ada")
        return stage
    }

    private static func told(_ presentation: Presentation, _ stage: Stage) throws -> JSONValue {
        var json = JSONWriter()
        presentation.write(to: &json, survey: stage.engine.definition(of: presentation))
        return try JSONDocument(json.bytes, .json).value
    }

    private static let event: [(String, PropertyValue)] = [("amount", .double(12.5)), ("shop", .string("Bakery"))]

    @Test("values are those of the moment of scheduling, also after a restart, in the person's language")
    func story() throws {
        var stage = try Self.stage()
        stage.engine.setFlags(FlagSet(["f": true]))
        try stage.record("done", Self.event)
        stage.engine.setFlags(.none)
        stage.restart()
        stage.pass(60_000)
        let shown = try #require(try stage.presentNext(locale: "de"))
        let told = try Self.told(shown, stage)
        #expect(told["title"] == "Danke für 12,50\u{A0}€" && told["message"] == "Plan none")
        #expect(
            told["questions"]?[0]?["question"] == "Best of Bakery?" && told["questions"]?[1]?["question"] == "Why …?")
        #expect(told["questions"]?[0]?["options"]?[0] == ["value": "A {event.shop}", "label": "A Bakery"])
        #expect(told["thanks"]?["title"] == "Bye ada" && told["piping"] == nil)
        #expect(told["notification"]?["title"] == "Bakery" && told["notification"]?["body"] == "… true")
        let kept = try stage.keep(shown.id, ["best": "A Bakery"])
        #expect(kept.answers["best"] == .choice("A {event.shop}"))
        #expect(try Self.told(kept, stage)["questions"]?[1]?["question"] == "Why A Bakery?")
        try stage.answer(shown.id, answers: ["why": "so"])
        let response = try #require(stage.events("survey_response").first)
        #expect(response["title"] == "Danke für 12,50\u{A0}€" && response["answer.best"] == "A {event.shop}")
        // The stored texts have no values, so all showings are of one version.
        let closed = try #require(stage.presentations(.answered).first)
        #expect(String(decoding: closed.shown, as: UTF8.self).contains("{event.shop}"))
        let seen = String(decoding: closed.shownWithValues, as: UTF8.self)
        #expect(!seen.contains("{event") || seen.contains(#""value":"A {event.shop}""#), "\(seen)")
        #expect(seen.contains(#""question":"Why A Bakery?""#) && seen.contains("12,50") && !seen.contains("piping"))
    }

    @Test("the document of texts, conditions and variants is read without a word")
    func document() throws {
        let read = SurveyConfiguration.read(try Samples.document("texts.json"))
        #expect(read.issues == DocumentIssues())
        let asked = try #require(read.configuration?.survey("purchase")).asked.map(\.text)
        #expect(
            Set(asked) == [
                "event.amount", "session.plan", "counter.opens", "event.shop", "event.plan", "flag.more", "event.at",
            ])
    }

    @Test("without places turned on, braces are braces")
    func old() throws {
        let (survey, issues) = try Samples.read(
            #""id": "s", "title": "Is {this} {event.x} a } brace?", "message": "{", "options": ["{a}"]"# + Self.trigger)
        #expect(issues == DocumentIssues())
        var stage = Stage([try #require(survey)])
        try stage.record("done", [("x", .integer(1))])
        stage.pass(60_000)
        let shown = try #require(try stage.presentNext())
        #expect(try Self.told(shown, stage)["title"] == "Is {this} {event.x} a } brace?" && shown.given.isEmpty)
    }

    @Test("a private one tells notifications nothing, and windows everything")
    func hidden() throws {
        var stage = try Self.stage(#", "private": true"#)
        try stage.record("done", Self.event)
        stage.pass(60_000)
        let offered = stage.offer()
        let waiting = try #require(offered)
        let notified = try Self.told(waiting.notified, stage)
        #expect(notified["title"] == "Thanks for it" && notified["notification"]?["title"] == "…")
        #expect(!notified.description.replacing("A {event.shop}", with: "").contains("Bakery"))
        let shown = try stage.present(waiting.id, on: .notification)
        #expect(try Self.told(shown, stage)["title"] == "Thanks for it")
        _ = try stage.release(shown.id)
        let window = try Self.told(try stage.present(waiting.id, on: .window), stage)
        #expect(window["title"] == "Thanks for €12.50" && window["notification"]?["title"] == "…")
    }

    @Test("the values go with the session of the event, and with the user")
    func clearing() throws {
        var stage = try Self.stage()
        try stage.record("done", Self.event)
        let first = try #require(stage.presentations.first)
        #expect(first.given["event.shop"] == .string("Bakery") && first.size.bytes >= first.given.byteCount)
        stage.clear(.user("ada"))
        #expect(stage.presentations(.scheduled).isEmpty)
    }

    @Test("a long value is kept in part, and one that has no room not at all")
    func bounds() throws {
        var stage = try Self.stage()
        try stage.record("done", [("shop", .string(String(repeating: "é", count: 10_000)))])
        let kept = try #require(stage.presentations.first?.given["event.shop"])
        #expect(kept == .string(String(repeating: "é", count: 500)))
    }

    static let faults: [(members: String, path: String, says: String)] = [
        (#""title": "{answer.best}""#, ".title", "there is none before"),
        (#""thanks": {"title": "{answer.best}"}"#, ".thanks.title", "is no answer to an earlier question"),
        (#""message": "{event.a""#, ".message", "stands alone"),
        (#""translations": {"de": {"title": "{evnt.a}"}}"#, ".translations.de.title", "did you mean 'event'?"),
        (#""notification": {"title": "{event.a:x}", "body": "b"}"#, ".notification.title", "has the format 'x'"),
        (#""trigger": {"counters": {"n": 1}}"#, ".title", "as counters trigger this survey"),
        (#""trigger": {"schedule": {"times": ["12:00"], "participants": "everybody"}}"#, ".title", "as a schedule"),
    ]

    @Test("what can never be there is refused when the file is read", arguments: faults)
    func refusals(members: String, path: String, says: String) throws {
        var all: [(String, JSONValue)] = [
            ("id", "s"), ("piping", true), ("title", "{event.amount}"), ("message", "m"),
            ("questions", [["id": "best", "type": "text", "question": "q {user}"]]),
            ("trigger", ["event": ["name": "done"]]),
        ]
        let more = try #require(try Samples.json("{\(members)}").objectValue)
        all.removeAll { member in more[member.0] != nil }
        all += more.map { ($0.key, $0.value) }
        let document: JSONValue = ["surveys": [.object(JSONObject(all))]]
        let issues = SurveyConfiguration.read(document).issues.errors
        #expect(issues.contains { $0.path == "$.surveys[0]" + path && $0.message.contains(says) }, "\(issues)")
    }

    @Test("an answer is named by a later question only, and 32 values at most are kept")
    func order() throws {
        func errors(_ questions: String) throws -> [String] {
            try Samples.read(
                #""id": "s", "piping": true, "title": "t", "message": "m", "questions": [\#(questions)]"# + Self.trigger
            ).issues.errors.map { "\($0.path): \($0.message)" }
        }
        let own = try errors(#"{"id": "a", "question": "{answer.a}"}"#)
        #expect(own.count == 1 && own[0].contains("$.surveys[0].questions[0]: 'answer.a' is no answer"), "\(own)")
        #expect(try errors(#"{"id": "a", "question": "q"}, {"id": "b", "question": "{answer.a}"}"#).isEmpty)
        let many = (0..<33).map { "{event.p\($0)}" }.joined()
        #expect(try errors(#"{"id": "a", "question": "\#(many)"}"#).first?.contains("asks for 33 values") ?? false)
        #expect(
            try Samples.read(
                #""id": "s", "title": "t", "message": "m", "options": ["a"], "private": true"# + Self.trigger
            )
            .issues.warnings.first?.message.contains("without 'piping'") ?? false)
    }
}
