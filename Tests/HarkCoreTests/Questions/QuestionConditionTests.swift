import HarkWire
import Testing

@testable import HarkCore

/// Questions that are asked only if a condition holds (K2).
@Suite struct QuestionConditionTests {
    private static let questions = """
        {"id": "score", "type": "nps", "question": "Score?"},
        {"id": "why", "type": "text", "question": "Why?", "when": "answer.score <= 6 and event.plan = pro"},
        {"id": "more", "type": "single", "question": "More?", "options": ["Yes", "No"],
         "when": {"any": [{"answer.why": {"op": "exists"}}, {"answer.score": {"op": "gte", "value": 9}}]}},
        {"id": "last", "type": "text", "question": "Else?", "required": false}
        """

    private static func read(_ questions: String, _ trigger: String = #"{"event": {"name": "done"}}"#) throws
        -> (survey: Survey?, issues: DocumentIssues)
    {
        try Samples.read(
            #""id": "s", "title": "t", "message": "m", "questions": [\#(questions)], "trigger": \#(trigger)"#)
    }

    private static func stage(_ plan: String = "pro") throws -> (Stage, Presentation) {
        let (survey, issues) = try read(questions)
        #expect(issues == DocumentIssues())
        var stage = Stage([try #require(survey)])
        try stage.startSession("ada")
        try stage.record("done", [("plan", .string(plan))])
        stage.restart()
        let shown = try #require(try stage.presentNext())
        return (stage, shown)
    }

    private static func route(_ presentation: Presentation, _ stage: Stage) -> [String] {
        stage.engine.definition(of: presentation)?.content(for: presentation).questionnaire.route(presentation.answers)
            .questions.map(\.id) ?? []
    }

    private static func keep(_ stage: inout Stage, _ shown: Presentation, _ answers: JSONObject) throws -> [String] {
        route(try stage.keep(shown.id, answers), stage)
    }

    @Test("those whose condition does not hold are passed over, by answers and by the event")
    func routes() throws {
        var (stage, shown) = try Self.stage()
        #expect(Self.route(shown, stage) == ["score"])
        let bad = try Self.keep(&stage, shown, ["score": 3])
        #expect(bad == ["score", "why"])
        let good = try Self.keep(&stage, shown, ["score": 8])
        #expect(good == ["score", "last"])
        let best = try Self.keep(&stage, shown, ["score": 9])
        #expect(best == ["score", "more"])
        var (other, second) = try Self.stage("free")
        let free = try Self.keep(&other, second, ["score": 3])
        #expect(free == ["score", "last"])
    }

    @Test("an answer is kept while its condition may hold again, and does not count in the end")
    func goingBack() throws {
        var (stage, shown) = try Self.stage()
        _ = try stage.keep(shown.id, ["score": 3, "why": "slow", "more": "No"])
        // An answer to a skipped question makes no other question appear.
        let changed = try stage.keep(shown.id, ["score": 8])
        #expect(changed.answers["why"] == .text("slow") && Self.route(changed, stage) == ["score", "last"])
        let back = try stage.keep(shown.id, ["score": 2])
        #expect(Self.route(back, stage) == ["score", "why", "more", "last"])
        _ = try stage.keep(shown.id, ["score": 7])
        let answered = try stage.answer(shown.id, answers: ["last": "no"])
        #expect(answered.answers.members.map(\.id) == ["score", "last"])
        #expect(stage.events("survey_response").first?["answer.why"] == nil)
    }

    @Test("a required one that is passed over is not missing, and the daemon has the say")
    func required() throws {
        var (stage, shown) = try Self.stage()
        #expect(throws: WireError.self) { try stage.answer(shown.id, answers: ["score": 3]) }
        let answered = try stage.answer(shown.id, answers: ["score": 8, "why": "forced", "more": "Yes"])
        #expect(answered.answers.members.map(\.id) == ["score"])
    }

    static let faults: [(questions: String, path: String, says: String)] = [
        (
            #"{"id": "a", "question": "q", "when": "answer.b exists"}, {"id": "b", "question": "q"}"#, "[0].when",
            "there is none before"
        ),
        (
            #"{"id": "b", "question": "q"}, {"id": "a", "question": "q", "when": "answer.a exists"}"#, "[1].when",
            "there are 'b'"
        ),
        (
            #"{"id": "b", "question": "q"}, {"id": "a", "question": "q", "when": "score > 3"}"#, "[1].when",
            "'score' is no value"
        ),
        (
            #"{"id": "b", "question": "q"}, {"id": "a", "question": "q", "when": "answer.b >"}"#, "[1].when",
            "goes wrong"
        ),
        (
            #"{"id": "b", "question": "q"}, {"id": "a", "question": "q", "when": {}}"#, "[1].when",
            "must name at least one value"
        ),
        (#"{"id": "a", "question": "q", "when": "event.x = 1"}"#, "[0].when", "must be left out for at least one"),
    ]

    @Test("what is wrong with one is said when the file is read", arguments: faults)
    func refusals(questions: String, path: String, says: String) throws {
        let issues = try Self.read(questions).issues.errors
        #expect(
            issues.contains { $0.path == "$.surveys[0].questions" + path && $0.message.contains(says) }, "\(issues)")
    }

    @Test("values that are never there are refused, and what nothing fulfils is warned of")
    func doubts() throws {
        let one = #"{"id": "a", "type": "single", "question": "q", "options": ["Yes", "No"]}, "#
        let event = #"{"id": "b", "question": "q", "when": "event.x = 1"}"#
        let counters = try Self.read(one + event, #"{"counters": {"n": 1}}"#).issues.errors
        #expect(counters.first?.message.contains("as counters trigger this survey") ?? false, "\(counters)")
        let maybe = try Self.read(one + #"{"id": "b", "question": "q", "when": "answer.a = Maybe"}"#).issues
        #expect(
            maybe.errors.isEmpty && maybe.warnings.first?.message.contains("it has no option 'Maybe'") ?? false,
            "\(maybe)")
        // Every person who is asked answers, and not everybody is asked.
        let without = #"{"id": "c", "question": "q", "when": "answer.b not exists"}"#
        let asked = try Self.read(one + #"{"id": "b", "question": "q"}, "# + without).issues.warnings
        #expect(asked.first?.message.contains("there always is one") ?? false, "\(asked)")
        let some = try Self.read(one + #"{"id": "b", "question": "q", "when": "answer.a = Yes"}, "# + without).issues
        #expect(some == DocumentIssues())
        let both = try Self.read(one + #"{"id": "b", "question": "q", "when": "event.x = 1 and event.x = 2"}"#).issues
        #expect(both.warnings.first?.message.contains("two things at once") ?? false, "\(both)")
        let form = Questionnaire.read(try Samples.json("[\(one)\(event)]")).issues.errors
        #expect(form.first?.message.contains("forms know answers alone") ?? false, "\(form)")
    }

    @Test("a branch leads past questions, and a question that is passed over leads to the next")
    func branches() throws {
        let (survey, issues) = try Self.read(
            """
            {"id": "a", "type": "single", "question": "q", "options": ["x", "y"]},
            {"id": "b", "type": "text", "question": "q", "when": "answer.a = x", "next": "end"},
            {"id": "c", "type": "text", "question": "q"}
            """)
        #expect(issues == DocumentIssues())
        let questionnaire = try #require(survey?.content.questionnaire)
        func way(_ answer: String) -> [String] {
            var answers = Answers()
            answers["a"] = .choice(answer)
            return questionnaire.way(answers).map(\.id)
        }
        #expect(way("x") == ["a", "b"] && way("y") == ["a", "c"])
    }

    @Test("it is told in the language of conditions, and reads back as the same")
    func words() throws {
        let survey = try #require(try Self.read(Self.questions).survey)
        let texts = survey.content.questionnaire.questions.map { $0.when?.text }
        #expect(
            texts == [
                nil, "answer.score <= 6 and event.plan = pro", "answer.why exists or answer.score >= 9", nil,
            ])
        let hard = Condition.all([
            .value("a b's", Matcher(.ne, "x'\\")),
            .not(.any([.value("n", Matcher(.gt, 1.5)), .value("t", Matcher(.notContains, "z"))])),
        ])
        let issues = IssueCollector()
        #expect(Condition.read(.string(hard.text), path: "$", issues: issues) == hard, "\(hard.text) \(issues.issues)")
    }

    @Test("counters and flags are those of the moment of scheduling")
    func counters() throws {
        let (survey, _) = try Self.read(
            """
            {"id": "a", "type": "text", "question": "q", "required": false},
            {"id": "b", "type": "text", "question": "q", "required": false, "when": "flag.f = true"}
            """)
        var stage = Stage([try #require(survey)])
        stage.engine.setFlags(FlagSet(["f": true]))
        try stage.record("done")
        stage.engine.setFlags(.none)
        let shown = try #require(try stage.presentNext())
        #expect(Self.route(shown, stage) == ["a", "b"])
    }
}
