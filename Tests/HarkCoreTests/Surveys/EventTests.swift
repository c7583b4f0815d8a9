import HarkCore
import HarkWire
import Testing

@Suite("Events of surveys (S8)")
struct EventTests {
    static func stage(_ name: String, _ event: String, _ properties: [(String, PropertyValue)]) throws -> Stage {
        var stage = Stage(try Samples.configuration(name))
        try stage.startSession("u")
        try stage.record(event, properties)
        stage.pass(Stage.hour)
        return stage
    }

    @Test("a choice: presented, then answered, each once and in the session")
    func choice() throws {
        var stage = try Self.stage(
            "checkout.json", "checkout_success",
            [("amount", .double(50.01)), ("coupon", .string("")), ("utm", .string("the-spring-sale"))])
        let shown = try #require(try stage.presentNext())
        #expect(
            stage.events("survey_presented")
                == [["id": "checkout_rating", "responseType": "choice", "debugMode": false]])
        try stage.answer(shown.id, option: "Okay")
        #expect(
            stage.events("survey_response") == [
                [
                    "id": "checkout_rating", "type": "choice", "option": "Okay", "title": "One quick question",
                    "message": "How was paying today?",
                ]
            ])
        #expect(stage.events("survey_dismissed").isEmpty)
        let names = stage.disk.records.map(\.name)
        #expect(names == ["", "checkout_success", "survey_presented", "survey_response"])
        #expect(Set(stage.disk.records.map(\.session.row)).count == 1)
        #expect(stage.disk.records.map(\.sequence) == [1, 2, 3, 4])
    }

    @Test("a text is trimmed")
    func text() throws {
        var stage = try Self.stage("checkout.json", "checkout_success", [("amount", .integer(101))])
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, text: "\n  quick and easy \t")
        let event = try #require(stage.events("survey_response").first)
        #expect(event["id"] == "checkout_words")
        #expect(event["type"] == "text")
        #expect(event["text"] == "quick and easy")
    }

    static let joined: [(JSONValue?, String)] = [
        ("  Really enjoyed it ", "Excellent||Really enjoyed it"), (nil, "Excellent"), ("   ", "Excellent"),
        ("a||b", "Excellent||a||b"),
    ]

    @Test("a choice with a text is joined, one without stands alone", arguments: joined)
    func combined(text: JSONValue?, joined: String) throws {
        var stage = try Self.stage("visit.json", "visit_completed", [])
        let shown = try #require(try stage.presentNext())
        #expect(stage.events("survey_presented").first?["responseType"] == "combined")
        try stage.answer(shown.id, option: "Excellent", text: text)
        let event = try #require(stage.events("survey_response").first)
        #expect(event["type"] == "text")
        #expect(event["text"] == .string(joined))
        #expect(event["option"] == "Excellent")
        let comment = joined.split(separator: "||", maxSplits: 1).dropFirst().first.map { JSONValue.string(String($0)) }
        #expect(event["comment"] == comment)
    }

    @Test("a dismissal is told once, with the response type")
    func dismissal() throws {
        var stage = try Self.stage("visit.json", "visit_completed", [])
        let shown = try #require(try stage.presentNext())
        try stage.dismiss(shown.id)
        #expect(throws: WireError.self) { try stage.dismiss(shown.id) }
        #expect(
            stage.events("survey_dismissed") == [["id": "visit-feedback", "responseType": "combined", "for": "once"]])
        #expect(stage.events("survey_response").isEmpty)
    }

    @Test("questions: each answer is a property of its own")
    func questions() throws {
        var stage = Stage(try Samples.configuration("extended.json"))
        let user = try #require(
            (0..<100).map { "u\($0)" }.first {
                UserKey(uid: Stage.uid, userId: $0).rolloutPlace(of: "quarterly") < 37.5
            })
        try stage.startSession(user)
        try stage.record("app_opened", [("count", .integer(3))])
        let shown = try #require(try stage.presentNext())
        try stage.answer(
            shown.id,
            answers: ["recommend": 5, "rooms": ["Hall", "Lab"], "lab": 7, "again": "No", "why": " Because. "])
        #expect(
            stage.events("survey_response") == [
                [
                    "id": "quarterly", "type": "questions", "answer.recommend": 5, "answer.rooms": "Lab||Hall",
                    "answer.lab": 7, "answer.again": "No", "answer.why": "Because.", "title": "Your quarter",
                    "message": "A few questions.",
                ]
            ])
    }

    @Test("the response type of a dismissed choice is that of the one presented")
    func dismissedChoice() throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        #expect(stage.events("survey_dismissed") == [["id": "rating", "responseType": "choice", "for": "once"]])
    }

    static let ends: [(String, @Sendable (inout Stage, Identifier) throws -> Void)] = [
        ("survey_presented", { _, _ in }), ("survey_response", { _ = try $0.answer($1, option: "Poor") }),
        ("survey_dismissed", { _ = try $0.dismiss($1) }),
    ]

    @Test(
        "what a survey tells of itself brings others about, with the properties of that event", arguments: ends.indices)
    func followUp(end: Int) throws {
        let (event, act) = Self.ends[end]
        func asked(_ id: String, _ survey: String) -> Survey {
            Samples.survey(id, event: event, condition: .value("id", Matcher(.eq, .string(survey))))
        }
        var stage = Stage([
            Samples.survey(), asked("wrong", "other"), asked("right", "rating"), asked("late", "rating"),
        ])
        try stage.startSession("u")
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try act(&stage, shown.id)
        let next = try #require(stage.presentations.first { $0.survey != "rating" })
        #expect(next.survey == "right" && next.state == .ready && next.origin == shown.session)
        #expect(stage.presentations.count == 2)
    }

    @Test("a bad rating is followed up, also where the counters must stand so, and only the bad one")
    func badRating() throws {
        var why = Samples.survey("why", event: "survey_response", condition: .value("option", Matcher(.eq, "Poor")))
        why = Survey(
            id: why.id, content: why.content,
            trigger: SurveyTrigger(
                event: why.trigger.event, condition: why.trigger.condition,
                counters: .value("opens", Matcher(.eq, 3))), limits: why.limits)
        for (option, opens, count) in [("Poor", 3, 1), ("Poor", 2, 0), ("Great", 3, 0)] {
            var stage = Stage([Samples.survey(), why])
            try stage.startSession("u")
            try stage.register("opens", .int(Int64(opens)))
            try stage.record("done")
            // The counters are in the store only.
            stage.restart()
            try stage.answer(try #require(try stage.presentNext()).id, option: .string(option))
            #expect(stage.presentations.count { $0.survey == "why" } == count, "\(option) with \(opens)")
        }
    }

    @Test("an event of a survey belongs to its user, whoever's session is the current one")
    func followUpAside() throws {
        var stage = Stage([Samples.survey(delay: Stage.hour), Samples.survey("next", event: "survey_response")])
        try stage.startSession("u")
        try stage.record("done")
        stage.endSession()
        stage.pass(Stage.hour)
        let shown = try #require(try stage.presentNext())
        try stage.record("other")
        try stage.answer(shown.id, option: "Great")
        #expect(stage.presentations.first { $0.survey == "next" }?.user.userId == "u")
    }

    @Test("surveys that bring each other about do so a few times, and again after the next event of somebody else")
    func loop() throws {
        func endless(_ id: String, _ event: String) -> Survey {
            Samples.survey(id, event: event, condition: .always) { $0.oncePerSession = false }
        }
        for surveys in [
            [endless("a", "done"), endless("b", "survey_dismissed")],
            [endless("a", "done"), endless("b", "survey_presented"), endless("c", "survey_presented")],
        ] {
            var stage = Stage(surveys)
            for round in 1...2 {
                try stage.record("done")
                var shown = 0
                while shown < 100, let next = try stage.presentNext() {
                    shown += 1
                    try stage.dismiss(next.id)
                    if shown == 2 { stage.restart() }
                }
                #expect(shown == 1 + SurveyEvents.maxDepth, "round \(round)")
            }
        }
    }

    @Test("the event and the change of the presentation stand in the same transaction")
    func together() throws {
        var stage = Stage([Samples.survey()])
        stage.commitsEachStep = false
        try stage.record("done")
        #expect(stage.changes.records.map(\.name).contains("done"))
        #expect(stage.presentations(.ready).count == 1)
        let shown = try #require(stage.engine.offer(in: stage.scope, now: stage.now))
        try stage.present(shown.id)
        #expect(stage.events("survey_presented").count == 1)
        #expect(stage.presentations(.presented).count == 1)
        try stage.answer(shown.id, option: "Great")
        #expect(stage.disk.records.isEmpty)
        stage.commit()
        #expect(stage.disk.presentations[shown.id]?.state == .answered)
        #expect(stage.disk.gating.values.first?[ExactName("rating")]?.completed == stage.now)
        #expect(stage.disk.records.count == 4)
    }
}
