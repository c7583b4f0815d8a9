import HarkCore
import HarkWire
import Testing

@Suite("The life of a presentation (S5, S7)")
struct LifeTests {
    static let delayed = Samples.survey(delay: Stage.hour)

    // MARK: Waiting

    @Test("a delay that is over makes the survey ready, not a millisecond before")
    func delay() throws {
        var stage = Stage([Self.delayed])
        try stage.record("done")
        #expect(stage.engine.earliestDue == .earliest)
        stage.pass(Stage.hour - 1)
        #expect(stage.engine.earliestDue == Stage.start.adding(milliseconds: Stage.hour))
        #expect(stage.presentations.map(\.state) == [.scheduled])
        stage.pass(1)
        #expect(stage.presentations.map(\.state) == [.ready])
        #expect(stage.engine.earliestDue == nil)
    }

    @Test("forty years are a delay like any other")
    func fortyYears() throws {
        let years = 40 * 365 * Stage.day
        var stage = Stage([Samples.survey(delay: years)])
        try stage.record("done")
        stage.restart()
        stage.pass(years - 1)
        #expect(stage.offer() == nil)
        stage.pass(1)
        #expect(stage.offer() != nil)
    }

    @Test("the same rule that waits in the session is not scheduled twice, in the next session it is")
    func onceScheduled() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.pass(60_000)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
        try stage.startSession("u")
        try stage.record("done")
        #expect(stage.presentations.count == 2)
    }

    @Test("what is ready since an earlier session is not joined by another of the same rule")
    func onceReady() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        for _ in 0..<3 {
            try stage.startSession("u")
            try stage.record("done")
        }
        #expect(stage.presentations.count == 1)
    }

    @Test("gating is checked again when the delay is over")
    func checkedAgain() throws {
        var stage = Stage([
            Samples.survey(delay: Stage.hour) {
                $0.oncePerSession = false
                $0.cooldown = Stage.day
            }
        ])
        try stage.startSession("u")
        try stage.record("done")
        try stage.startSession("u")
        stage.pass(1000)
        try stage.record("done")
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready, .ready])
        // Both are due; showing the first bars the second.
        try stage.presentNext()
        #expect(stage.presentations.map(\.state) == [.presented, .cancelled])

        try stage.startSession("v")
        try stage.record("done")
        try stage.startSession("v")
        stage.pass(Stage.hour / 2)
        try stage.record("done")
        stage.pass(Stage.hour / 2)
        try stage.dismiss(try #require(try stage.presentNext()).id)
        stage.pass(Stage.hour)
        let cancelled = try #require(stage.presentations.last)
        #expect(cancelled.state == .cancelled)
        #expect(cancelled.reason == "cooldown")
        #expect(cancelled.presentedAt == nil)
    }

    @Test("what is overdue on start is ready at once, and shown one at a time, the earliest first")
    func overdue() throws {
        let surveys = (1...3).map { Samples.survey("s\($0)", event: "e\($0)", delay: Int64(4 - $0) * Stage.hour) }
        var stage = Stage(surveys)
        for number in 1...3 { try stage.record("e\(number)") }
        stage.now = stage.now.adding(milliseconds: 10 * Stage.day)
        stage.restart()
        stage.fire()
        #expect(stage.presentations(.ready).count == 3)
        var order: [String] = []
        while let shown = try stage.presentNext() {
            #expect(stage.offer() == nil)
            order.append(shown.survey)
            try stage.dismiss(shown.id)
        }
        #expect(order == ["s3", "s2", "s1"])
    }

    @Test(
        "thousands of schedules come a page at a time, in order, and none is lost; not all of them are held",
        arguments: [false, true])
    func pages(restarting: Bool) throws {
        let count = 5000
        var stage = Stage([Samples.survey(delay: Stage.hour)])
        stage.commitsEachStep = false
        for number in 0..<count {
            let scope = Scope(uid: 1000, app: "app\(number)")
            stage.now = Stage.start.adding(milliseconds: Int64((number * 7919) % count))
            try stage.startSession("u\(number)", in: scope)
            try stage.record("done", in: scope)
            if number % 500 == 0 { stage.commit() }
        }
        stage.commit()
        let held = (0..<count).filter { stage.engine.surveys.isLoaded(SurveyUser(uid: 1000, userId: "u\($0)")) }
        #expect(held.count < SurveyBook.capacity * 2)
        stage.now = Stage.start.adding(milliseconds: Int64(count))
        if restarting { stage.restart() }
        stage.now = Stage.start.adding(milliseconds: Stage.hour + 1999)
        stage.fire()
        stage.commit()
        #expect(stage.disk.all.filter { $0.state == .ready }.count == 2000)
        #expect(stage.engine.earliestDue == Stage.start.adding(milliseconds: Stage.hour + 2000))
        stage.now = Stage.start.adding(milliseconds: Stage.hour + Int64(count))
        stage.fire()
        stage.commit()
        #expect(stage.disk.all.allSatisfy { $0.state == .ready })
        #expect(stage.engine.earliestDue == nil)
    }

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

    @Test("with no session at all, opening a survey starts one for its user, which ends with it")
    func noSession() throws {
        var stage = Stage([Self.delayed])
        try stage.startSession("u")
        try stage.record("done")
        stage.endSession()
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        let session = try #require(stage.disk.current[stage.scope]?.identity)
        #expect(session.userId == "u" && session.isImplicit)
        #expect(shown.session == session.id)
        try stage.answer(shown.id, option: "Great")
        #expect(stage.disk.current[stage.scope] == nil)
        // What comes after is nobody's in particular.
        try stage.record("other")
        #expect(stage.disk.records.last?.session.userId == nil)
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

    // MARK: Ends

    @Test("snoozed, it comes back at its time, and neither the session nor its attempts are held against it")
    func snooze() throws {
        var stage = Stage([
            Samples.survey {
                $0.maxAttempts = 1
                $0.cooldown = Stage.day
            }
        ])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.snooze(shown.id, for: 600_000)
        #expect(stage.offer() == nil)
        stage.pass(600_000)
        #expect(try stage.presentNext()?.id == shown.id)
        #expect(stage.events("survey_presented").count == 1)
        try stage.answer(shown.id, option: "Great")
    }

    @Test("a survey dismissed before it was ever shown is withdrawn: no attempt, no event")
    func withdrawal() throws {
        var stage = Stage([Self.delayed])
        try stage.record("done")
        let id = try #require(stage.presentations.first).id
        let closed = try stage.dismiss(id)
        #expect(closed.state == .cancelled && closed.reason == "withdrawn")
        #expect(stage.events("survey_dismissed").isEmpty)
        #expect(stage.gating("rating").attempts == 0)
    }

    @Test("nobody reacts in time: it expires, shown or not", arguments: [false, true])
    func expiry(isShown: Bool) throws {
        var stage = Stage([Samples.survey(delay: Stage.hour) { $0.expireAfter = Stage.day }])
        try stage.record("done")
        stage.pass(Stage.hour)
        let offered = stage.offer()
        let id = try #require(offered).id
        if isShown { try stage.present(id) }
        stage.pass(Stage.day - 1)
        #expect(stage.presentations.map(\.state) == [isShown ? .presented : .ready])
        stage.pass(1)
        #expect(stage.presentations.map(\.state) == [.expired])
        let error = #expect(throws: WireError.self) { try stage.answer(id, option: "Great") }
        #expect(error?.reason == .alreadyClosed)
        #expect(error?.message.contains("expired") == true)
        #expect(stage.events("survey_response").isEmpty && stage.events("survey_dismissed").isEmpty)
    }

    @Test("what waits expires with the end date of its survey")
    func endDate() throws {
        var stage = Stage([Samples.survey { $0.ends = Stage.start.adding(milliseconds: 5000) }])
        try stage.record("done")
        stage.pass(5000)
        #expect(stage.presentations.map(\.state) == [.expired])
    }

    @Test("an end that is asked for ends it, and it makes room for the next")
    func expireByHand() throws {
        var stage = Stage([Samples.survey("a"), Samples.survey("b", event: "more")])
        try stage.record("done")
        try stage.record("more")
        let shown = try #require(try stage.presentNext())
        #expect(try stage.expire(shown.id).state == .expired)
        #expect(stage.offer()?.survey == "b")
    }

    @Test("what nobody could show yet cannot be answered, shown or expired")
    func tooEarly() throws {
        var stage = Stage([Self.delayed])
        try stage.record("done")
        let id = try #require(stage.presentations.first).id
        for attempt in [
            { try $0.present(id) }, { try $0.answer(id, option: "Great") }, { try $0.expire(id) },
            { try $0.snooze(id, for: 5) }, { try $0.release(id) }, { try $0.keep(id, ["option": "Great"]) },
        ] as [(inout Stage) throws -> Presentation] {
            let error = #expect(throws: WireError.self) { try attempt(&stage) }
            #expect(error?.reason == .conflict)
        }
        #expect(stage.presentations.map(\.state) == [.scheduled])
    }

    static let ends: [(String, @Sendable (inout Stage, Identifier) throws -> Presentation)] = [
        ("answered", { try $0.answer($1, option: "Great") }), ("dismissed", { try $0.dismiss($1) }),
        ("expired", { try $0.expire($1) }),
    ]

    @Test("a closed presentation is closed to everything, before the commit, after it and after a restart")
    func closed() throws {
        for (word, end) in Self.ends {
            var stage = Stage([Samples.survey()])
            try stage.record("done")
            let id = try #require(try stage.presentNext()).id
            stage.commitsEachStep = false
            #expect(try end(&stage, id).state.word == word)
            let records = stage.changes.records.count
            for moment in 0..<3 {
                for (_, attempt) in Self.ends {
                    let error = #expect(throws: WireError.self) { try attempt(&stage, id) }
                    #expect(error?.reason == .alreadyClosed)
                    #expect(error?.message.contains(word) == true)
                }
                if moment == 0 {
                    #expect(stage.changes.records.count == records)
                    stage.commit()
                }
                if moment == 1 { stage.restart() }
                #expect(stage.changes.records.isEmpty)
            }
        }
    }

    @Test("a presentation of another uid is as good as none; who may see all may answer it")
    func foreign() throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        for attempt in [{ try $0.answer(shown.id, option: "Great", uid: 7) }, { try $0.dismiss(shown.id, uid: 7) }]
            as [(inout Stage) throws -> Presentation]
        {
            let error = #expect(throws: WireError.self) { try attempt(&stage) }
            #expect(error?.reason == .notFound)
        }
        let unknown = #expect(throws: WireError.self) { try stage.answer(Identifier(high: 1, low: 2), option: "Great") }
        #expect(unknown?.reason == .notFound)
        #expect(stage.presentations.map(\.state) == [.presented])
        try stage.answer(shown.id, option: "Great", uid: nil)
    }

    // MARK: Answers

    static let refused: [(JSONValue?, JSONValue?, JSONObject, String, String)] = [
        (nil, nil, [:], "option", "needs an answer"), ("Good", nil, [:], "option", "must be one of its options"),
        ("Great", "words", [:], "text", "takes no 'text'"), (nil, nil, ["option": 5], "answers.option", "as a string"),
        ("Great", nil, ["option": "Poor"], "answers.option", "answered twice"),
        (nil, nil, ["q": 5], "answers.q", "there is no question 'q'"),
    ]

    @Test("an answer that does not fit is refused, and nothing has changed", arguments: refused)
    func refusal(option: JSONValue?, text: JSONValue?, answers: JSONObject, path: String, reason: String) throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        stage.commitsEachStep = false
        let error = #expect(throws: WireError.self) {
            try stage.answer(shown.id, option: option, text: text, answers: answers)
        }
        #expect(error?.reason == .invalidParams)
        #expect(error?.path == path)
        #expect(error?.message.contains(reason) == true)
        #expect(stage.changes.isEmpty)
        #expect(try stage.answer(shown.id, answers: ["option": "Great"]).answers["option"] == .choice("Great"))
    }

    @Test("an empty text is an answer where it is allowed")
    func emptyText() throws {
        var stage = Stage([Samples.survey(content: Samples.text(isRequired: false, minLength: 4))])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        let error = #expect(throws: WireError.self) { try stage.answer(shown.id, text: "abc") }
        #expect(error?.message.contains("minLength") == true)
        try stage.answer(shown.id, text: "  ")
        #expect(stage.events("survey_response").first?["text"] == "")
    }
}
