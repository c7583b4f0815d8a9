import HarkCore
import HarkWire
import Testing

@Suite("Questions of programs")
struct PromptTests {
    private static let other: UInt32 = 1001

    @Test("a prompt is answered without being shown first, once, and told as an event of whoever is there")
    func answer() throws {
        var stage = Stage()
        let session = try stage.startSession("ada")
        let asked = try stage.ask(try .sample("deploy"))
        #expect(asked.state == .open && asked.presentations.map(\.state) == [.ready])
        let id = asked.presentations[0].id
        try stage.answer(id, option: "Yes")
        let error = #expect(throws: WireError.self) { try stage.answer(id, option: "No") }
        #expect(error?.reason == .alreadyClosed)
        let standing = try stage.standing(asked.prompt.id)
        #expect(standing.state == .answered && standing.answered?.session == session.identity.id)
        #expect(stage.events("survey_presented").count == 1)
        #expect(stage.events("survey_response").map { $0["id"] } == ["deploy"])
        #expect(stage.events("survey_response").map { $0["option"] } == ["Yes"])
    }

    @Test("the first answer of several people counts, and the others are asked no more")
    func first() throws {
        var stage = Stage()
        let asked = try stage.ask(try .sample(), uids: [Stage.uid, Self.other])
        try stage.answer(asked.presentations[1].id, option: "No", uid: Self.other)
        let error = #expect(throws: WireError.self) { try stage.answer(asked.presentations[0].id, option: "Yes") }
        #expect(error?.reason == .alreadyClosed)
        let standing = try stage.standing(asked.prompt.id)
        #expect(standing.answered?.user.uid == Self.other)
        #expect(standing.presentations.map(\.state) == [.cancelled, .answered])
        #expect(standing.presentations[0].reason == "answeredElsewhere")
    }

    @Test("one of several may decline, and the others are still asked; it is dismissed with the last")
    func declining() throws {
        var stage = Stage()
        let asked = try stage.ask(try .sample(), uids: [Stage.uid, Self.other])
        try stage.dismiss(asked.presentations[0].id)
        #expect(try stage.standing(asked.prompt.id).state == .open)
        try stage.dismiss(asked.presentations[1].id, uid: Self.other)
        #expect(try stage.standing(asked.prompt.id).state == .dismissed)
        #expect(stage.events("survey_dismissed").count == 2)
    }

    @Test("it expires at its time, over a restart, also while it is shown or put off, and without any surveys read")
    func expiry() throws {
        for course in ["ready", "shown", "put off"] {
            var stage = Stage()
            let asked = try stage.ask(try .sample(fallback: "No"), timeout: 5_000)
            let id = asked.presentations[0].id
            if course == "shown" { try stage.present(id) }
            if course == "put off" {
                try stage.present(id)
                try stage.snooze(id, for: Stage.day)
            }
            stage.restart()
            stage.engine = Engine(watermark: stage.disk.watermark)
            stage.pass(4_999)
            #expect(try stage.standing(asked.prompt.id).state == .open, "\(course)")
            stage.pass(1)
            let standing = try stage.standing(asked.prompt.id)
            #expect(standing.state == .expired, "\(course)")
            #expect(standing.prompt.question.fallback["option"] == .choice("No"))
        }
    }

    @Test("a prompt that was put off comes again at its time")
    func snooze() throws {
        var stage = Stage()
        let asked = try stage.ask(try .sample())
        try stage.present(asked.presentations[0].id)
        try stage.snooze(asked.presentations[0].id, for: 60_000)
        #expect(stage.offer() == nil)
        stage.pass(60_000)
        #expect(stage.offer()?.id == asked.presentations[0].id)
    }

    @Test("what was due before the first document of surveys was read is carried out once it is")
    func lateDocument() throws {
        var stage = Stage([Samples.survey(delay: 1_000)])
        try stage.record("done")
        let configuration = stage.engine.surveys.configuration
        stage.engine = Engine(watermark: stage.disk.watermark)
        stage.pass(2_000)
        #expect(stage.presentations.map(\.state) == [.scheduled])
        stage.configure(configuration)
        stage.pass(0)
        #expect(stage.presentations.map(\.state) == [.ready])
    }

    @Test("asked again under the same id, nothing is asked twice; something else under it is refused")
    func again() throws {
        var stage = Stage()
        let id = Identifier(high: 7, low: 7)
        let first = try stage.ask(try .sample(), id: id)
        #expect(try stage.ask(try .sample(), id: id) == first)
        #expect(stage.presentations.count == 1)
        try stage.answer(first.presentations[0].id, option: "Yes")
        stage.engine = Engine(watermark: stage.disk.watermark)
        stage.disk.bring(.prompt(id), to: &stage.engine)
        #expect(try stage.ask(try .sample(), id: id).state == .answered)
        #expect(stage.presentations.count == 1)
        let question = try PromptQuestion(name: "prompt", title: "Else?", kind: .text)
        let error = #expect(throws: WireError.self) { try stage.ask(question, id: id) }
        #expect(error?.reason == .conflict)
        let stranger = Source(uid: Self.other, pid: 1)
        #expect(throws: WireError.self) { try stage.ask(try .sample(), id: id, source: stranger) }
        #expect(throws: WireError.self) { try stage.standing(id, uid: Self.other) }
    }

    @Test("taken back, it cannot be answered; what is over stays as it is")
    func cancel() throws {
        var stage = Stage()
        let asked = try stage.ask(try .sample())
        #expect(throws: WireError.self) { try stage.cancel(asked.prompt.id, uid: Self.other) }
        #expect(try stage.cancel(asked.prompt.id).state == .cancelled)
        #expect(throws: WireError.self) { try stage.answer(asked.presentations[0].id, option: "Yes") }
        let answered = try stage.ask(try .sample())
        try stage.answer(answered.presentations[0].id, option: "Yes")
        #expect(try stage.cancel(answered.prompt.id).state == .answered)
    }

    @Test("so many may wait for an account and no more, and what is over makes room")
    func room() throws {
        var stage = Stage()
        var last: PromptStanding?
        for _ in 0..<PromptLimits.openPerUser { last = try stage.ask(try .sample()) }
        let error = #expect(throws: WireError.self) { try stage.ask(try .sample()) }
        #expect(error?.reason == .tooLarge && error?.path == "uids")
        try stage.ask(try .sample(), uids: [Self.other])
        _ = try stage.cancel(try #require(last).prompt.id)
        try stage.ask(try .sample())
    }

    @Test("limits of surveys do not hold for a prompt, it counts towards none, and a survey of its name goes on")
    func limits() throws {
        var survey = Samples.survey { $0.maxAttempts = 1 }
        survey = Survey(
            id: "later", content: survey.content, trigger: survey.trigger, limits: survey.limits)
        var stage = Stage([], globalCooldown: Stage.day)
        let asked = try stage.ask(try .sample("later"))
        stage.configure(SurveyConfiguration([survey], globalCooldown: Stage.day))
        #expect(try stage.standing(asked.prompt.id).state == .open)
        try stage.record("done")
        #expect(stage.presentations(.ready).count == 2)
        // Somebody waits for its answer, so it comes first.
        #expect(try stage.presentNext()?.prompt != nil)
        try stage.answer(asked.presentations[0].id, option: "Yes")
        #expect(stage.gating("later") == Gating())
        #expect(try stage.presentNext()?.survey == "later")
        let error = #expect(throws: WireError.self) { try stage.ask(try .sample("later")) }
        #expect(error?.reason == .conflict)
    }

    @Test("another user's session leaves a prompt on the screen, and it is offered to whoever is there")
    func anybody() throws {
        var stage = Stage()
        try stage.startSession("ada")
        let asked = try stage.ask(try .sample())
        try stage.startSession("bob")
        #expect(try stage.presentNext()?.prompt?.id == asked.prompt.id)
        try stage.startSession("eve")
        #expect(stage.presentations.map(\.state) == [.presented])
        stage.clear(.all)
        #expect(stage.presentations.isEmpty)
    }

    @Test("a survey may follow the answer to a prompt")
    func following() throws {
        let why = Samples.survey("why", event: "survey_response")
        var stage = Stage([why])
        try stage.startSession("ada")
        let asked = try stage.ask(try .sample())
        try stage.answer(asked.presentations[0].id, option: "No")
        #expect(stage.presentations(.ready).map(\.survey) == ["why"])
        #expect(stage.presentations(.ready).map(\.user.userId) == ["ada"])
    }
}
