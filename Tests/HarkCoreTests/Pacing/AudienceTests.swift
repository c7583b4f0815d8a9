import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Audiences by history")
struct AudienceTests {
    static func survey(
        _ id: String = "rating", event: String = "done", events: [Audience.EventRule] = [],
        surveys: [Audience.SurveyRule] = []
    ) -> Survey {
        var survey = Samples.survey(id, event: event) { $0.oncePerSession = false }
        survey.audience.events = events
        survey.audience.surveys = surveys
        return survey
    }

    static let pdf = EventPattern("export", .value("format", Matcher(.eq, .string("pdf"))))

    static func audience(of survey: String, to userId: String? = nil, _ stage: inout Stage) throws -> String {
        let checks = try stage.explain(survey, to: userId).checks
        return checks.first { $0.name == "audience" }?.explanation ?? ""
    }

    @Test("events that match count, within their span, over restarts, told with their numbers")
    func events() throws {
        let rule = Audience.EventRule(Self.pdf, Audience.Frequency(atLeast: 2, within: Stage.day))
        var stage = Stage([Self.survey(events: [rule])])
        try stage.record("export", [("format", .string("pdf"))])
        try stage.record("export", [("format", .string("png"))])
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        #expect(
            try Self.audience(of: "rating", &stage)
                == "'export' where format eq \"pdf\" has come once, asks for at least 2 times in the last 86400 s")
        stage.pass(Stage.day - 1)
        stage.restart()
        try stage.record("export", [("format", .string("pdf"))])
        try stage.record("done")
        #expect(stage.presentations.count == 1)
        stage.pass(1)
        try stage.record("done")
        #expect(try Self.audience(of: "rating", &stage).contains("has come once"))
    }

    @Test("the event that triggers counts itself, and one with an earlier time by that")
    func itself() throws {
        let twice = Audience.EventRule(EventPattern("done"), Audience.Frequency(atLeast: 2, within: Stage.hour))
        var stage = Stage([Self.survey(events: [twice])])
        try stage.record("done", at: stage.now.adding(milliseconds: -2 * Stage.hour))
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
    }

    @Test("never: an event within the span holds it up, with the event and again when the delay is over")
    func never() throws {
        var survey = Samples.survey("calm", event: "done", delay: Stage.hour)
        survey.audience.events = [
            Audience.EventRule(EventPattern("crash"), Audience.Frequency(atLeast: 0, within: Stage.hour))
        ]
        var stage = Stage([survey])
        try stage.record("crash")
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        stage.pass(Stage.hour)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
        stage.pass(Stage.hour / 2)
        try stage.record("crash")
        stage.pass(Stage.hour)
        #expect(stage.presentations.first?.state == .cancelled && stage.presentations.first?.reason == "audience")
    }

    @Test("who was shown or has answered another survey, or has not")
    func surveys() throws {
        func rule(_ was: Audience.SurveyRule.What, _ atLeast: Int, _ within: Int64? = nil) -> Audience.SurveyRule {
            Audience.SurveyRule("first", was: was, Audience.Frequency(atLeast: atLeast, within: within))
        }
        var stage = Stage([
            Samples.survey("first", event: "begin") { $0.oncePerSession = false },
            Self.survey("unshown", event: "a", surveys: [rule(.shown, 0)]),
            Self.survey("shown", event: "b", surveys: [rule(.shown, 2)]),
            Self.survey("answered", event: "c", surveys: [rule(.answered, 1, Stage.day)]),
            Self.survey("unanswered", event: "d", surveys: [rule(.answered, 0, Stage.day)]),
        ])
        func passing() throws -> [String] {
            try ["unshown", "shown", "answered", "unanswered"].filter { survey in
                try stage.explain(survey, to: nil).checks.contains { $0.name == "audience" && $0.passed }
            }
        }
        #expect(try passing() == ["unshown", "unanswered"])
        try stage.record("begin")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        #expect(try passing() == ["unanswered"])
        try stage.record("begin")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        #expect(try passing() == ["shown", "answered"])
        stage.pass(Stage.day)
        #expect(try passing() == ["shown", "unanswered"])
        #expect(
            try Self.audience(of: "answered", &stage)
                == "survey 'first' answered: it was not, asks for at least once in the last 86400 s")
    }

    @Test("events of names that no rule has are kept nowhere, and bring in nobody")
    func others() throws {
        let rule = Audience.EventRule(EventPattern("export"), Audience.Frequency())
        var stage = Stage([Self.survey(events: [rule])])
        let scope = stage.scope
        try stage.record("other")
        #expect(stage.disk.eventTimes.isEmpty && !stage.engine.surveys.isLoaded(UserKey(uid: Stage.uid, userId: nil)))
        let ready = ["other", "export"].map { stage.engine.isReady(toRecord: $0, in: scope) }
        #expect(ready == [true, false])
        try stage.record("export")
        #expect(stage.disk.eventTimes.values.first?.keys.map(\.text) == ["export"])
    }

    @Test("over random events, users and restarts each rule says what a list of all events says", arguments: 0..<20)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let users: [String?] = ["ada", "ben", nil]
        let patterns = [EventPattern("a"), EventPattern("b", .value("n", Matcher(.gte, .int(2)))), EventPattern("b")]
        let rules = (0..<6).map { _ in
            Audience.EventRule(
                patterns.randomElement(using: &random) ?? patterns[0],
                Audience.Frequency(
                    atLeast: Int.random(in: 0...20, using: &random),
                    within: Bool.random(using: &random)
                        ? Int64.random(in: 1...40, using: &random) * Stage.hour : nil))
        }
        var stage = Stage(rules.enumerated().map { Self.survey("s\($0.0)", event: "trigger", events: [$0.1]) })
        var events: [(user: String?, name: String, number: Int64, at: Timestamp)] = []
        for step in 0..<150 {
            let user = users.randomElement(using: &random) ?? nil
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<15:
                let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let number = Int64.random(in: 0..<4, using: &random)
                let age = Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 0...50, using: &random) : 0
                let at = stage.now.adding(milliseconds: -age * Stage.hour)
                try stage.startSession(user)
                try stage.record(name, [("n", .integer(number))], at: age == 0 ? nil : at)
                events.append((user, name, number, at))
            case 15..<18: stage.pass(Int64.random(in: 0...5, using: &random) * Stage.hour)
            case 18: stage.restart()
            default:
                guard Int.random(in: 0..<3, using: &random) == 0 else { break }
                stage.clear(.user(user))
                events.removeAll { $0.user == user }
            }
            for (number, rule) in rules.enumerated() {
                for user in users {
                    let count = events.count { event in
                        event.user == user && event.name == rule.event.name
                            && (rule.event.condition == .always || event.number >= 2)
                            && rule.frequency.within.map {
                                stage.now.milliseconds - event.at.milliseconds < $0
                            } ?? true
                    }
                    let isMeant = rule.frequency.atLeast == 0 ? count == 0 : count >= rule.frequency.atLeast
                    let told = try stage.explain("s\(number)", to: user).checks.first { $0.name == "audience" }
                    #expect(told?.passed == isMeant, "seed \(seed), step \(step), \(rule)")
                }
            }
        }
    }
}
