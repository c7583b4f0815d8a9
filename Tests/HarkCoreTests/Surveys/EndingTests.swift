import HarkCore
import HarkWire
import Testing

@Suite("How a presentation ends (S7)")
struct EndingTests {
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

    @Test("each time that it is put off is counted and kept, the last hundred with when and until when")
    func delays() throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        let id = try #require(try stage.presentNext()).id
        let start = stage.now
        for _ in 0...ShowingTimes.mostDelays {
            try stage.snooze(id, for: 60_000)
            stage.pass(60_000)
            #expect(try stage.presentNext()?.id == id)
        }
        let delays = try #require(stage.presentations.first).times.delays
        #expect(delays.count == ShowingTimes.mostDelays)
        let first = try #require(delays.first)
        #expect(first.at == start.adding(milliseconds: 60_000) && first.until == start.adding(milliseconds: 120_000))
        #expect(!first.isQuiet && delays.last?.until == stage.now)
        #expect(stage.presentations.first?.times.snoozes == 101)
        stage.restart()
        #expect(stage.presentations.first?.times.snoozes == 101)
    }

    @Test("a survey dismissed before it was ever shown is withdrawn: no attempt, no event")
    func withdrawal() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour)])
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
        var stage = Stage([Samples.survey(delay: Stage.hour)])
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
