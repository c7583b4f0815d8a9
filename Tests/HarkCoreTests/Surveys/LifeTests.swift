import HarkWire
import Testing

@testable import HarkCore

@Suite("The life of a presentation (S5, S7)")
struct LifeTests {
    static let delayed = Samples.survey(delay: Stage.hour)

    // MARK: Sessions and users

    @Test("a survey scheduled in one session is shown in the next session of the same user, not to another user")
    func nextSession() throws {
        var stage = Stage([Self.delayed])
        let first = try stage.startSession("u")
        try stage.record("done")
        try stage.startSession("v")
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready])
        #expect(stage.offer() == nil)
        let id = try #require(stage.presentations.first).id
        let error = #expect(throws: WireError.self) { try stage.present(id) }
        #expect(error?.reason == .conflict)
        #expect(stage.events("survey_presented").isEmpty)
        let next = try stage.startSession("u")
        let shown = try #require(try stage.presentNext())
        #expect(shown.origin == first.identity.id)
        #expect(shown.session == next.identity.id)
        #expect(stage.disk.records.last?.session.id == next.identity.id)
    }

    @Test("what is shown when another user comes is taken back and shown to its own user again, counted once")
    func userChange() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.startSession("v")
        #expect(stage.presentations.map(\.state) == [.ready])
        for attempt in [{ try $0.answer(shown.id, option: "Great") }, { try $0.dismiss(shown.id) }]
            as [(inout Stage) throws -> Presentation]
        {
            let error = #expect(throws: WireError.self) { try attempt(&stage) }
            #expect(error?.reason == .conflict)
        }
        #expect(stage.events("survey_response").isEmpty && stage.events("survey_dismissed").isEmpty)
        try stage.startSession("u")
        let again = try #require(try stage.presentNext())
        #expect(again.id == shown.id)
        #expect(stage.events("survey_presented").count == 1)
        #expect(stage.gating("rating", "u").attempts == 1)
        try stage.answer(again.id, option: "Great")
        #expect(stage.events("survey_response").count == 1)
    }

    @Test("a new session of the same user leaves on the screen what is there")
    func sameUser() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        let next = try stage.startSession("u")
        #expect(stage.presentations.map(\.state) == [.presented])
        #expect(try stage.answer(shown.id, option: "Okay").session == next.identity.id)
    }

    /// The ends of a survey that is shown while its user has no session.
    static let ends: [(String, @Sendable (inout Stage, Identifier) throws -> Void)] = [
        ("answer", { _ = try $0.answer($1, option: "Great") }), ("dismiss", { _ = try $0.dismiss($1) }),
        ("snooze", { _ = try $0.snooze($1, for: 1000) }), ("expire", { _ = try $0.expire($1) }),
        ("release", { _ = try $0.release($1) }), ("restart", { stage, _ in stage.restart() }),
        ("the survey is gone", { stage, _ in stage.configure(SurveyConfiguration([])) }),
    ]

    @Test(
        "shown while no session is open, it lies in a session of its user, never the current one, that ends with it",
        arguments: ends.indices)
    func noSession(end: Int) throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.endSession()
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        let session = try #require(stage.disk.records.last?.session)
        #expect(session.userId == "u" && session.isImplicit && session.id == shown.session)
        #expect(stage.disk.current[stage.scope] == nil)
        try stage.record("other")
        #expect(stage.disk.records.last?.session.userId == nil)
        // That names no person, so the survey stays where it is.
        #expect(stage.presentations.map(\.state) == [.presented])
        let act = Self.ends[end].1
        try act(&stage, shown.id)
        let records = stage.disk.records.filter { $0.session == session }
        #expect(records.count { $0.kind == .sessionStarted } == 1 && records.count { $0.kind == .sessionEnded } == 1)
        #expect(records.last?.kind == .sessionEnded)
        #expect(stage.disk.sessions[session.row]?.endedAt == stage.now)
        #expect(stage.disk.current[stage.scope]?.identity.userId == .some(nil))
        try stage.record("more", userId: nil)
        #expect(stage.disk.records.last?.session.userId == nil)
    }

    @Test("an event of another user finds no session in its way while a survey is shown without one")
    func noSessionForOthers() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.endSession()
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        try stage.record("other", userId: "v")
        #expect(stage.disk.records.last { $0.name == "other" }?.session.userId == "v")
        // Another user has come.
        #expect(stage.presentations.map(\.state) == [.ready])
        try stage.startSession("u")
        let again = try stage.presentNext()
        #expect(again?.id == shown.id)
    }

    @Test("a survey that is shown without a session is answered in its user's own session once there is one")
    func sessionMeanwhile() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.endSession()
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        let own = try #require(shown.session)
        let session = try stage.startSession("u")
        let answered = try stage.answer(shown.id, option: "Great")
        #expect(answered.session == session.identity.id)
        #expect(stage.disk.records.first { $0.name == "survey_response" }?.session == session.identity)
        #expect(stage.disk.sessions.values.first { $0.identity.id == own }?.endedAt == stage.now)
        #expect(stage.disk.current[stage.scope]?.identity == session.identity)
    }

    @Test("the session that version 0.1.0 made the current one for a survey ends when it is taken back")
    func formerSession() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        let session = try stage.startSession("u")
        stage.pass(Stage.hour)
        var shown = try #require(try stage.presentNext())
        shown.ownSession = session.identity
        stage.changes.rows.append(.survey(.putPresentation(shown)))
        stage.commit()
        stage.restart()
        #expect(stage.presentations.map(\.state) == [.ready])
        #expect(stage.disk.current[stage.scope] == nil)
        #expect(stage.disk.records.count { $0.kind == .sessionEnded } == 2)
    }

    @Test("who answers the notification of a survey answers for its user, though another user has come meanwhile")
    func notificationOfAnother() throws {
        var stage = Stage([Samples.survey(), Samples.survey("other", event: "done")])
        try stage.startSession("u")
        try stage.record("done")
        let offered = stage.offer()
        let ready = try #require(offered)
        let other = try stage.startSession("v")
        let refused = #expect(throws: WireError.self) { try stage.present(ready.id) }
        #expect(refused?.reason == .conflict)
        stage.disk.bring(.presentation(ready.id), to: &stage.engine)
        let (source, now) = (stage.source, stage.now)
        _ = try stage.engine.presentAndAnswer(
            ready.id, SurveySubmission(option: "Great"), visibleTo: nil, isOpened: true, source: source, now: now,
            into: &stage.changes)
        stage.commit()
        let response = try #require(stage.disk.records.first { $0.name == "survey_response" })
        #expect(response.session.userId == "u" && stage.gating("rating", "u").completed != nil)
        #expect(stage.disk.current[stage.scope]?.identity == other.identity)
        #expect(stage.disk.sessions[response.session.row]?.endedAt == stage.now)
    }

    @Test("with no session at all, the earliest of any user is offered, from the store too")
    func offersWithoutSession() throws {
        var stage = Stage([Self.delayed])
        for user in ["u", "v"] {
            try stage.startSession(user)
            try stage.record("done")
            stage.pass(1000)
        }
        stage.endSession()
        stage.pass(Stage.hour)
        stage.restart()
        #expect(try stage.presentNext()?.user.userId == "u")
        #expect(stage.offer() == nil)
    }

    @Test("an answer closes what is scheduled for the same rule and user in every session and app")
    func answerCloses() throws {
        var stage = Stage([Self.delayed, Samples.survey("other", event: "more", delay: Stage.hour)])
        let app = Scope(uid: Stage.uid, app: "app")
        for _ in 0..<2 {
            try stage.startSession("u")
            try stage.record("done")
            try stage.record("more")
            stage.pass(1000)
        }
        try stage.startSession("u", in: app)
        try stage.record("done", in: app)
        try stage.startSession("v", in: app)
        try stage.record("done", in: app)
        stage.pass(Stage.hour - 2000)
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, option: "Great")
        let closed = stage.presentations.filter { $0.survey == "rating" && $0.user.userId == "u" && $0.id != shown.id }
        #expect(closed.map(\.state) == [.cancelled, .cancelled])
        #expect(closed.allSatisfy { $0.reason == "answeredElsewhere" })
        #expect(stage.presentations.filter { $0.state.isOpen }.map(\.survey) == ["other", "other", "rating"])
    }

    // MARK: One at a time

    @Test("one is shown at a time in a scope, the others wait as ready")
    func oneAtATime() throws {
        var stage = Stage([Samples.survey("a", event: "a"), Samples.survey("b", event: "b")])
        try stage.record("a")
        try stage.record("b")
        let ids = stage.presentations(.ready).map(\.id)
        try stage.present(ids[0])
        #expect(stage.offer() == nil)
        let error = #expect(throws: WireError.self) { try stage.present(ids[1]) }
        #expect(error?.reason == .conflict)
        #expect(error?.path == "presentationId")
        try stage.dismiss(ids[0])
        #expect(stage.offer()?.id == ids[1])
    }

    @Test("each app has a place of its own")
    func apps() throws {
        var stage = Stage([Samples.survey()])
        let app = Scope(uid: Stage.uid, app: "app")
        try stage.record("done")
        try stage.record("done", in: app)
        #expect(try stage.presentNext() != nil)
        #expect(try stage.presentNext(in: app) != nil)
        #expect(stage.presentations(.presented).count == 2)
    }

    // MARK: Presenters

    @Test("a presenter that vanishes gives the survey back; it is shown again and counted once")
    func release() throws {
        var stage = Stage([Samples.survey { $0.maxAttempts = 1 }])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.release(shown.id)
        #expect(stage.offer()?.id == shown.id)
        stage.pass(1000)
        let again = try stage.present(shown.id)
        #expect(again.presentedAt == Stage.start)
        #expect(stage.gating("rating").attempts == 1)
        #expect(stage.events("survey_presented").count == 1)
        #expect(throws: WireError.self) { try stage.present(shown.id) }
    }

    @Test("after a restart what was shown is shown again, but not what somebody still shows")
    func restart() throws {
        var stage = Stage([Samples.survey()])
        let app = Scope(uid: Stage.uid, app: "app")
        try stage.record("done")
        try stage.record("done", in: app)
        let first = try #require(try stage.presentNext())
        let second = try #require(try stage.presentNext(in: app))
        stage.restart(showing: [second.id])
        #expect(stage.offer()?.id == first.id)
        #expect(stage.offer(in: app) == nil)
        try stage.dismiss(second.id)
        try stage.answer(try stage.present(first.id).id, option: "Poor")
        #expect(stage.events("survey_presented").count == 2)
    }

    @Test("two presenters that answer at once: the first wins, the second is told that it is closed")
    func race() throws {
        var stage = Stage([Samples.survey()])
        stage.commitsEachStep = false
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        stage.commit()
        try stage.answer(shown.id, option: "Great")
        for _ in 0..<2 {
            let error = #expect(throws: WireError.self) { try stage.answer(shown.id, option: "Poor") }
            #expect(error?.reason == .alreadyClosed)
            // Before and after the commit.
            stage.commit()
        }
        #expect(stage.events("survey_response").map { $0["option"] } == ["Great"])
        #expect(stage.disk.presentations[shown.id]?.answers["option"] == .choice("Great"))
    }

    @Test("partial answers are kept, over a restart too, and the rest may come later")
    func partialAnswers() throws {
        let questions = [
            Question(id: "a", prompt: "?", kind: .nps), Question(id: "b", prompt: "?", kind: .text(.init())),
        ]
        let content = SurveyContent(
            title: "T", message: "M", responseType: .questions, questionnaire: Questionnaire(questions))
        var stage = Stage([Samples.survey(content: content)])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.keep(shown.id, ["a": 7])
        let error = #expect(throws: WireError.self) { try stage.keep(shown.id, ["a": 11]) }
        #expect(error?.path == "answers.a")
        stage.restart()
        let again = try stage.present(shown.id)
        #expect(again.answers["a"] == .number(7))
        let missing = #expect(throws: WireError.self) { try stage.answer(shown.id) }
        #expect(missing?.path == "answers.b")
        let answered = try stage.answer(shown.id, answers: ["b": "words"])
        #expect(answered.answers.members.map(\.id) == ["a", "b"])
    }
}
