import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Events from before a rule asks for them")
struct PastEventTests {
    private static func rule(_ pattern: EventPattern, _ atLeast: Int, within: Int64? = nil) -> Audience.EventRule {
        Audience.EventRule(pattern, Audience.Frequency(atLeast: atLeast, within: within))
    }

    private static func configuration(_ rules: [Audience.EventRule]) -> SurveyConfiguration {
        SurveyConfiguration(
            rules.enumerated().map { AudienceTests.survey("s\($0.0)", event: "trigger", events: [$0.1]) })
    }

    @Test("what the log has counts once it was read, by condition; until then nobody is known to have done nothing")
    func known() throws {
        var stage = Stage()
        for format in ["pdf", "png", "pdf"] { try stage.record("export", [("format", .string(format))]) }
        stage.configure(Self.configuration([Self.rule(AudienceTests.pdf, 2), Self.rule(EventPattern("crash"), 0)]))
        #expect(
            try AudienceTests.audience(of: "s0", &stage)
                == "'export' where format eq \"pdf\" has come 0 times so far, as the log is still being read, asks for at "
                + "least 2 times")
        func passing() throws -> [Bool] {
            try ["s0", "s1"].map { survey in
                try stage.explain(survey, to: nil).checks.contains { $0.name == "audience" && $0.passed }
            }
        }
        #expect(try passing() == [false, false])
        stage.readPast()
        #expect(try passing() == [true, true])
        #expect(try AudienceTests.audience(of: "s1", &stage) == "'crash' has come 0 times, asks for never")
        stage.restart()
        #expect(try passing() == [true, true] && stage.engine.pastToRead(now: stage.now) == nil)
    }

    @Test("a rule that left the file and comes back counts what came meanwhile, and events count once")
    func returned() throws {
        let rules = Self.configuration([Self.rule(EventPattern("a"), 5)])
        var stage = Stage(rules)
        func count() throws -> Int? {
            try AudienceTests.audience(of: "s0", &stage).split(separator: " ").compactMap { Int($0) }.first
        }
        for _ in 0..<2 { try stage.record("a") }
        stage.configure(SurveyConfiguration([]))
        for _ in 0..<3 { try stage.record("a") }
        stage.configure(rules)
        for _ in 0..<4 { try stage.record("a") }
        #expect(try count() == 6)
        stage.readPast(pages: 1, of: 2)
        #expect(try count() == 8)
        stage.readPast()
        stage.readPast()
        #expect(try count() == 9)
    }

    @Test("what comes before the surveys are read counts, too, and a count whose commit failed is made again")
    func lateAndRefused() throws {
        let rules = Self.configuration([Self.rule(EventPattern("a"), 3)])
        var stage = Stage(rules)
        try stage.record("a")
        stage.startWithoutSurveys()
        try stage.record("a")
        stage.configure(rules)
        #expect(stage.engine.pastToRead(now: stage.now)?.gap == RuleGaps.Gap(after: 2, through: 3))
        stage.commitsEachStep = false
        stage.readPast()
        #expect(stage.engine.pastToRead(now: stage.now) == nil)
        stage.restart()
        stage.commit()
        #expect(
            stage.engine.pastToRead(now: stage.now) != nil
                && stage.disk.eventTimes.values.first?.values.first?.times.count == 1)
        stage.readPast()
        stage.commit()
        #expect(stage.disk.eventTimes.values.first?.values.first?.times.count == 2)
    }

    @Test("visitors of a kiosk and sessions that were cleared do not count")
    func left() throws {
        var stage = Stage()
        try stage.startSession("ada")
        try stage.record("a")
        let cleared = try stage.startSession("ada")
        try stage.record("a")
        try stage.startSession(nil)
        try stage.record("a")
        stage.clear(.session(cleared.identity.id))
        stage.engine.setKiosks([KioskPlace(uid: Stage.uid, app: nil)])
        stage.configure(Self.configuration([Self.rule(EventPattern("a"), 1)]))
        stage.readPast()
        #expect(
            stage.disk.eventTimes.mapValues { $0.values.map(\.times.count) } == [
                UserKey(uid: Stage.uid, userId: "ada"): [1]
            ])
    }

    @Test(
        "over random events, files, kills and pages each rule says what a list of all events says", arguments: 0..<20)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let users: [String?] = ["ada", "ben", nil]
        let patterns = [EventPattern("a"), EventPattern("b", .value("n", Matcher(.gte, .int(2)))), EventPattern("b")]
        let rules = (0..<6).map { _ in
            Self.rule(
                patterns.randomElement(using: &random) ?? patterns[0], Int.random(in: 0...16, using: &random),
                within: Bool.random(using: &random) ? Int64.random(in: 1...40, using: &random) * Stage.hour : nil)
        }
        var stage = Stage()
        stage.commitsEachStep = false
        typealias Event = (user: String?, name: String, number: Int64, at: Timestamp)
        var (events, unsaved): ([Event], [Event]) = ([], [])
        var inForce: [Audience.EventRule] = []

        func expected(_ rule: Audience.EventRule, _ user: String?) -> Int {
            let times = (events + unsaved).filter { event in
                event.user == user && event.name == rule.event.name
                    && (rule.event.condition == .always || event.number >= 2)
            }.map(\.at).sorted().suffix(RecentTimes.usual)
            return times.count { time in
                rule.frequency.within.map { stage.now.milliseconds - time.milliseconds < $0 } ?? true
            }
        }

        for step in 0..<200 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<24:
                let name = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let (user, number) = (
                    users.randomElement(using: &random) ?? nil, Int64.random(in: 0..<4, using: &random)
                )
                let age = Int.random(in: 0..<4, using: &random) == 0 ? Int64.random(in: 0...50, using: &random) : 0
                let at = stage.now.adding(milliseconds: -age * Stage.hour)
                try stage.startSession(user)
                try stage.record(name, [("n", .integer(number))], at: age == 0 ? nil : at)
                unsaved.append((user, name, number, at))
            case 24..<30: stage.pass(Int64.random(in: 0...5, using: &random) * Stage.hour)
            case 30..<33:
                stage.commit()
                (events, unsaved) = (events + unsaved, [])
                inForce = rules.filter { _ in Bool.random(using: &random) }
                stage.configure(Self.configuration(inForce))
                stage.commit()
            case 33..<35:
                stage.restart()
                unsaved = []
            case 35:
                stage.startWithoutSurveys()
                unsaved = []
                if Bool.random(using: &random) {
                    try stage.startSession("ada")
                    try stage.record("a", [("n", .integer(3))])
                    unsaved.append(("ada", "a", 3, stage.now))
                }
                stage.configure(Self.configuration(inForce))
                stage.commit()
                (events, unsaved) = (events + unsaved, [])
            case 36..<38:
                stage.commit()
                (events, unsaved) = (events + unsaved, [])
                stage.readPast(pages: Int.random(in: 0...4, using: &random), of: Int.random(in: 1...9, using: &random))
            default:
                stage.commit()
                (events, unsaved) = (events + unsaved, [])
                stage.readPast(of: Int.random(in: 1...9, using: &random))
            }
            for (number, rule) in inForce.enumerated() {
                for user in users {
                    let key = UserKey(uid: Stage.uid, userId: user)
                    stage.disk.bring(.user(key), to: &stage.engine)
                    let survey = try #require(stage.engine.surveys.configuration.survey("s\(number)"))
                    let gate = stage.engine.gate(survey, key, in: stage.scope, session: nil, now: stage.now)
                    let (count, all) = (gate.count(rule), expected(rule, user))
                    let place = "seed \(seed), step \(step), \(rule), \(user ?? "nobody")"
                    #expect(gate.knows(rule) ? count == all : count <= all, "\(count) of \(all), \(place)")
                    let isMeant =
                        rule.frequency.atLeast == 0 ? gate.knows(rule) && all == 0 : count >= rule.frequency.atLeast
                    #expect(gate.isInAudience == isMeant, "\(place)")
                }
            }
        }
        stage.commit()
        stage.readPast()
        #expect(stage.engine.pastToRead(now: stage.now) == nil)
    }
}
