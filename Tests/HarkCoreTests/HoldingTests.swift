import HarkWire
import Testing

@testable import HarkCore

/// The data that a user may keep over all apps, except counters and executions.
@Suite struct HoldingTests {
    private static func refusal(_ body: () throws -> Void) throws -> WireError {
        let error = #expect(throws: WireError.self, performing: body)
        return try #require(error)
    }

    @Test("when no other survey may wait, the event is recorded and the survey passed over, which is told")
    func presentations() throws {
        var stage = Stage([Samples.survey()])
        stage.engine.admit(Amount(count: Limits.presentationsPerUser - 1), .presentations, of: Stage.uid)
        try stage.startSession("ada")
        try stage.record("done")
        let waiting = try #require(stage.presentations.first)

        stage.commitsEachStep = false
        try stage.startSession("bob")
        try stage.record("done")
        #expect(stage.changes.records.last?.name == "done")
        #expect(stage.presentations == [waiting])
        let passedOver = try #require(stage.changes.passedOver.first)
        #expect(passedOver.survey == "rating" && passedOver.name == "done")
        let why = try #require(passedOver.lack)
        #expect(why.contains("20000 surveys") && why.contains("survey.pending"))
        stage.commit()
        let explanation = try stage.explain("rating", to: "bob")
        let room = explanation.checks.first { $0.name == "room" }
        #expect(room?.passed == false && room?.explanation == why && !explanation.wouldShow)
        // An execution that asks a survey notes the same.
        try stage.register("c")
        try stage.add(.sample("x", "c", run: .survey("rating")))
        stage.commit()
        try stage.trigger("c")
        stage.commit()
        #expect(stage.runs.first?.note == why)

        _ = try stage.expire(waiting.id)
        try stage.record("done")
        #expect(stage.presentations.count == 2 && stage.changes.passedOver.isEmpty)
        #expect(try stage.explain("rating", to: "cleo").checks.first { $0.name == "room" }?.passed == false)
    }

    @Test("what was begun to be answered of surveys is bounded, and makes room when it is answered")
    func begunAnswers() throws {
        let questions = [Question(id: "a", kind: .text(.init())), Question(id: "b", kind: .text(.init()))]
        let content = SurveyContent(
            title: "T", message: "M", responseType: .questions, questionnaire: Questionnaire(questions))
        var stage = Stage([Samples.survey(content: content)])
        let before = Limits.presentationBytesPerUser - 300
        stage.engine.admit(Amount(bytes: before), .presentations, of: Stage.uid)
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.keep(shown.id, ["a": .string(String(repeating: "x", count: 200))])
        let kept = try #require(stage.engine.holdings[Stage.uid]?[.presentations])
        #expect(kept.count == 1 && (before + 200..<before + 300).contains(kept.bytes))
        let refusal = try Self.refusal { try stage.keep(shown.id, ["b": .string(String(repeating: "x", count: 200))]) }
        #expect(refusal.reason == .tooLarge && refusal.path == "answers")
        #expect(refusal.message.contains("\(kept.bytes) bytes") && refusal.message.contains("survey.pending"))
        // Nothing is in the way of the whole answer.
        try stage.answer(shown.id, answers: ["b": .string(String(repeating: "x", count: 200))])
        #expect(stage.engine.holdings[Stage.uid]?[.presentations] == Amount(bytes: before))
    }

    @Test("answers to forms and drafts are bounded for all users of a uid together, and what is forgotten makes room")
    func forms() throws {
        let questions = [Question(id: "goal", kind: .text(.init())), Question(id: "why", kind: .text(.init()))]
        var stage = Stage(FormConfiguration([Form(id: "f", title: "T", questionnaire: Questionnaire(questions))]))
        let before = Limits.formBytesPerUser - 500
        stage.engine.admit(Amount(bytes: before), .forms, of: Stage.uid)
        let text = JSONValue.string(String(repeating: "x", count: 200))
        try stage.fill("f", ["goal": text], by: "ada")
        try stage.fill("f", ["goal": text], by: "bob")
        let full = try #require(stage.engine.holdings[Stage.uid]?[.forms])
        #expect(full.count == 2 && full.bytes > before + 400)
        let refusal = try Self.refusal { try stage.fill("f", ["why": text], by: "ada") }
        #expect(refusal.reason == .tooLarge && refusal.path == "answers.why")
        #expect(refusal.message.contains("form.reset"))
        let draft = try Self.refusal { try stage.draft("f", ["why": text], by: "cleo") }
        #expect(draft.reason == .tooLarge && draft.path == "answers")
        #expect(stage.engine.holdings[Stage.uid]?[.forms] == full)
        // Changes that do not grow are taken.
        try stage.fill("f", ["goal": "short"], by: "ada")
        try stage.forget("f", by: "bob")
        try stage.draft("f", ["why": text], by: "cleo")
        try stage.fill("f", ["why": "short"], by: "cleo")
        for user in ["ada", "cleo"] { try stage.forget("f", by: user) }
        #expect(stage.engine.holdings[Stage.uid]?[.forms] == Amount(bytes: before))
    }

    @Test("what fires while a user has too many runs that wait is dropped, until one begins or is cancelled")
    func runs() throws {
        var stage = Stage()
        for app in ["a", "b"] {
            let scope = Scope(uid: Stage.uid, app: app)
            try stage.register("c", in: scope)
            try stage.add(.sample("x", "c", run: Execution.program, keepAlive: true), in: scope)
        }
        let (first, second) = (Scope(uid: Stage.uid, app: "a"), Scope(uid: Stage.uid, app: "b"))
        stage.engine.admit(Amount(count: Limits.runsPerUser - 1), .runs, of: Stage.uid)
        try stage.trigger("c", in: first)
        try stage.trigger("c", in: second)
        #expect(stage.runs.map(\.state) == [.due, .dropped])
        #expect(stage.runs.last?.note?.contains("10000 runs that wait") == true)
        stage.begin(stage.runs[0])
        try stage.trigger("c", in: second)
        #expect(stage.runs.map(\.state) == [.started, .dropped, .due])
        // How many went with their execution only the store knows.
        try stage.remove("x", in: second)
        #expect(stage.engine.unknownHoldings(Holding.ofCounters, of: Stage.uid) == [.runs])
        stage.engine.admit(Amount(), .runs, of: Stage.uid)
        stage.commit()
        try stage.trigger("c", in: first)
        #expect(stage.runs(.due).count == 1)
    }
}
