import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Quotas")
struct QuotaTests {
    /// A survey that asks as often as it may.
    private static func survey(_ quota: String, changeable: Int64? = nil) throws -> Survey {
        let issues = IssueCollector()
        var reader = try #require(
            ObjectReader(.object(["quota": try Samples.json(quota)]), path: "$", issues: issues))
        var survey = Samples.survey { $0.oncePerSession = false }
        survey.quota = SurveyQuota.read(&reader)
        survey.changeable = changeable
        #expect(issues.issues.errors.isEmpty, "\(issues.issues.errors)")
        return survey
    }

    private static func scope(_ number: Int) -> Scope { Scope(uid: Stage.uid, app: "app-\(number)") }

    /// Asks in an app and for a user of its own.
    private static func ask(_ stage: inout Stage, _ number: Int, _ properties: [(String, PropertyValue)] = []) throws {
        try stage.startSession("u\(number)", in: scope(number))
        try stage.record("done", properties, in: scope(number))
    }

    private static func answered(_ stage: Stage) -> Int { stage.disk.all.count { $0.state == .answered } }

    @Test("what is being asked has its place; a dismissal gives it back, an answer takes it, over restarts")
    func places() throws {
        var stage = Stage([try Self.survey(#"{"answers":2}"#)])
        for number in 0..<4 { try Self.ask(&stage, number) }
        let first = try #require(try stage.presentNext(in: Self.scope(0)))
        let second = try #require(try stage.presentNext(in: Self.scope(1)))
        #expect(try stage.presentNext(in: Self.scope(2)) == nil, "both places are taken")
        #expect(
            try CapTests.check(.quota, of: "rating", &stage) == "0 (and 2 being asked) of 2 answers")
        try stage.dismiss(first.id)
        let third = try #require(try stage.presentNext(in: Self.scope(2)))
        #expect(try stage.presentNext(in: Self.scope(3)) == nil)
        try stage.answer(second.id, option: "Great")
        try stage.answer(third.id, option: "Great")
        stage.restart()
        #expect(try stage.presentNext(in: Self.scope(3)) == nil)
        #expect(throws: WireError.self) {
            try stage.present(try #require(stage.disk.all.first { $0.state == .ready }).id)
        }
        try Self.ask(&stage, 4)
        #expect(!stage.disk.all.contains { $0.user.userId == "u4" }, "it is not even scheduled")
        #expect(try CapTests.check(.quota, of: "rating", &stage) == "2 of 2 answers")
        let told = stage.disk.records.filter { $0.name == "survey_quota" }
        #expect(told.map { $0.properties["id"] } == [.string("rating")])
    }

    @Test("what was shown and is released gives its place back, and needs one again")
    func released() throws {
        var stage = Stage([try Self.survey(#"{"answers":1}"#)])
        for number in 0..<2 { try Self.ask(&stage, number) }
        let first = try #require(try stage.presentNext(in: Self.scope(0)))
        try stage.release(first.id)
        let second = try #require(try stage.presentNext(in: Self.scope(1)))
        #expect(try stage.presentNext(in: Self.scope(0)) == nil)
        #expect(throws: WireError.self) { try stage.present(first.id) }
        try stage.answer(second.id, option: "Great")
        #expect(try stage.presentNext(in: Self.scope(0)) == nil)
    }

    @Test("a period begins anew on time, and its answers can be made to come evenly")
    func periods() throws {
        let week = Stage.day * 7
        var stage = Stage([try Self.survey(#"{"answers":7,"withinSeconds":604800,"spread":true}"#)])
        // Just after a Monday's midnight.
        let monday = Int64(4) * 86_400_000
        stage.pass(week - (stage.now.milliseconds - monday) % week)
        var number = 0
        func answers() throws -> Int {
            var count = 0
            while true {
                number += 1
                try Self.ask(&stage, number)
                guard let shown = try stage.presentNext(in: Self.scope(number)) else { return count }
                try stage.answer(shown.id, option: "Great")
                count += 1
            }
        }
        var byDay: [Int] = []
        for _ in 0..<14 {
            byDay.append(try answers())
            stage.pass(Stage.day)
        }
        #expect(byDay == [Int](repeating: 1, count: 14))
        stage.pass(Stage.day * 6)
        #expect(try answers() == 7, "what was left over is still wanted, and no more")
    }

    @Test("cells count the events that they are for; without a place in one, the others go on")
    func cells() throws {
        let quota =
            #"{"answers":3,"cells":[{"name":"pro","where":"plan = pro","answers":1},{"name":"eu","where":"region = eu","answers":2}]}"#
        var stage = Stage([try Self.survey(quota)])
        let pro: [(String, PropertyValue)] = [("plan", .string("pro"))]
        func isAsked(_ number: Int, _ properties: [(String, PropertyValue)]) throws -> Bool {
            try Self.ask(&stage, number, properties)
            guard let shown = try stage.presentNext(in: Self.scope(number)) else { return false }
            try stage.answer(shown.id, option: "Great")
            return true
        }
        #expect(try isAsked(0, pro + [("region", .string("eu"))]))
        #expect(try !isAsked(1, pro))
        #expect(try isAsked(2, [("region", .string("eu"))]))
        #expect(try !isAsked(3, [("region", .string("eu"))]))
        #expect(try isAsked(4, [("plan", .string("free"))]))
        #expect(try !isAsked(5, []))
        let cells = stage.disk.records.filter { $0.name == "survey_quota" }.map { $0.properties["cell"] }
        #expect(cells == [.string("pro"), .string("eu"), nil])
        #expect(stage.disk.quotas[ExactName("rating")]?.answers == ["": 3, "pro": 1, "eu": 2])
    }

    @Test("an answer that is taken back frees its place; one that is changed does not")
    func takenBack() throws {
        var stage = Stage([try Self.survey(#"{"answers":1}"#, changeable: Stage.hour)])
        for number in 0..<2 { try Self.ask(&stage, number) }
        let shown = try #require(try stage.presentNext(in: Self.scope(0)))
        try stage.answer(shown.id, option: "Great")
        let changed = try stage.change(shown.id, to: SurveySubmission(option: "Poor"))
        #expect(try stage.presentNext(in: Self.scope(1)) == nil)
        _ = try stage.change(changed.id, to: nil)
        #expect(try stage.presentNext(in: Self.scope(1)) != nil)
    }

    @Test("survey_quota brings about another survey, after all else of the answer; a loop of such ends")
    func followed() throws {
        let quota = try Self.survey(#"{"answers":1,"withinSeconds":60}"#).quota
        let surveys = [("a", "done"), ("b", "survey_quota"), ("c", "survey_quota")].map { id, event in
            var survey = Samples.survey(id, event: event) { ($0.oncePerSession, $0.repeatEvery) = (false, 1) }
            survey.quota = quota
            return survey
        }
        var stage = Stage(surveys)
        try Self.ask(&stage, 0)
        var asked: [String] = []
        while asked.count < 100, let shown = try stage.presentNext(in: Self.scope(0)) {
            asked.append(shown.survey)
            try stage.answer(shown.id, option: "Great")
            // A period is over.
            stage.pass(60_000)
        }
        #expect(asked == ["a", "b", "c", "b", "c", "b"], "\(SurveyEvents.maxDepth) after the first")
        let names = stage.disk.records.filter { $0.kind == .event }.map(\.name)
        let places = ["survey_response", "survey_quota"].map { names.firstIndex(of: $0) ?? .max }
        #expect(places[0] < places[1], "\(names)")
    }

    @Test("debug mode asks whatever the quota says, and counts nothing")
    func debug() throws {
        var stage = Stage([try Self.survey(#"{"answers":1}"#)])
        stage.engine.setDebugMode(DebugMode(bypassesGating: true))
        for number in 0..<2 {
            try Self.ask(&stage, number)
            let shown = try #require(try stage.presentNext(in: Self.scope(number)))
            try stage.answer(shown.id, option: "Great")
        }
        stage.engine.setDebugMode(.production)
        #expect(try CapTests.check(.quota, of: "rating", &stage) == "0 of 1 answer")
    }

    @Test("whatever people do, there is never an answer too many, and no place is lost", arguments: 0..<40)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let most = Int.random(in: 1...5, using: &random)
        let cell = Int.random(in: 1...most, using: &random)
        let within = seed % 2 == 0 ? #","withinSeconds":86400"# : ""
        let quota = #"{"answers":\#(most)\#(within),"cells":[{"name":"pro","where":"plan = pro","answers":\#(cell)}]}"#
        var stage = Stage([try Self.survey(quota)])
        stage.commitsEachStep = seed % 3 != 0
        var answers: [(at: Timestamp, isPro: Bool)] = []
        func counted(_ isPro: Bool?) -> Int {
            let begin = seed % 2 == 0 ? stage.now.milliseconds - stage.now.milliseconds % 86_400_000 : .min
            return answers.count { $0.at.milliseconds >= begin && (isPro == nil || $0.isPro == isPro) }
        }
        for _ in 0..<150 {
            let number = Int.random(in: 0..<6, using: &random)
            let scope = Self.scope(number)
            let shown = stage.engine.surveys.shown(in: scope)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3 where shown == nil:
                if stage.engine.sessions.current(scope) == nil { try stage.startSession("u\(number)", in: scope) }
                let plan = Bool.random(using: &random) ? "pro" : "free"
                try stage.record("done", [("plan", .string(plan))], in: scope)
                try stage.presentNext(in: scope)
            case 4...6:
                guard let shown else { continue }
                try stage.answer(shown.id, option: "Great")
                answers.append((stage.now, shown.trigger["plan"] == .string("pro")))
            case 7: if let shown { try stage.dismiss(shown.id) }
            case 8:
                stage.commit()
                stage.restart()
            default: stage.pass(Int64.random(in: 0..<Stage.day, using: &random))
            }
            #expect(counted(nil) <= most && counted(true) <= cell)
            let reserved = (0..<6).compactMap { stage.engine.surveys.shown(in: Self.scope($0)) }
            #expect(counted(nil) + reserved.count <= most)
            #expect(counted(true) + reserved.count { $0.trigger["plan"] == .string("pro") } <= cell)
        }
        // A free place can be taken.
        stage.commit()
        for number in 0..<6 {
            if let shown = stage.engine.surveys.shown(in: Self.scope(number)) { try stage.dismiss(shown.id) }
        }
        var left = most - counted(nil)
        for number in 10..<20 where left > 0 {
            try Self.ask(&stage, number, [("plan", .string("free"))])
            let shown = try #require(try stage.presentNext(in: Self.scope(number)))
            try stage.answer(shown.id, option: "Great")
            left -= 1
        }
        try Self.ask(&stage, 30)
        #expect(try stage.presentNext(in: Self.scope(30)) == nil)
    }
}

extension Stage {
    /// Changes answers, or takes them back (nil).
    fileprivate mutating func change(_ id: Identifier, to submission: SurveySubmission?) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.changeAnswers(
            id, version: 1, to: submission, visibleTo: Stage.uid, source: source, now: now, into: &changes)
    }
}
