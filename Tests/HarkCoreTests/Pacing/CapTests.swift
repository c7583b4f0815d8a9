import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Caps, groups and priority")
struct CapTests {
    static func survey(
        _ id: String, event: String = "done", atMost: [ShowingCap] = [], groups: [String] = [], priority: Int = 0
    ) -> Survey {
        var survey = Samples.survey(id, event: event) {
            $0.oncePerSession = false
            $0.atMost = atMost
        }
        survey.groups = groups
        survey.priority = priority
        return survey
    }

    static func check(_ name: SurveyGate.Check, of survey: String, _ stage: inout Stage) throws -> String {
        let checks = try stage.explain(survey, to: nil).checks
        return checks.first { $0.name == name.rawValue }?.explanation ?? ""
    }

    @Test("at most so many showings in a sliding span, told with their numbers, over restarts")
    func cap() throws {
        let cap = ShowingCap(count: 2, within: Stage.day)
        var stage = Stage([Self.survey("rating", atMost: [cap])])
        for _ in 0..<2 {
            try stage.record("done")
            try stage.dismiss(try #require(try stage.presentNext()).id)
            stage.pass(Stage.hour)
        }
        stage.restart()
        try stage.record("done")
        #expect(stage.presentations.count == 2)
        #expect(
            try Self.check(.atMost, of: "rating", &stage)
                == "2 of 2 showings within 86400 s are used, until 2026-11-22T11:00:00.000Z")
        stage.pass(22 * Stage.hour - 1)
        try stage.record("done")
        #expect(stage.presentations.count == 2)
        stage.pass(1)
        try stage.record("done")
        #expect(stage.presentations.count == 3)
    }

    @Test("a showing that an earlier version stored counts as one")
    func earlier() throws {
        var stage = Stage([Self.survey("rating", atMost: [ShowingCap(count: 1, within: Stage.day)])])
        var gating = Gating()
        gating.attempts = 1
        gating.lastPresented = stage.now
        stage.disk.gating[UserKey(uid: Stage.uid, userId: nil)] = [ExactName("rating"): gating]
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        stage.pass(Stage.day)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
    }

    @Test("what waits and is over the cap of its group after another was shown is cancelled, and says so")
    func barred() throws {
        let group = SurveyGroup(name: "nps", atMost: [ShowingCap(count: 1, within: Stage.day)])
        var stage = Stage(
            SurveyConfiguration(
                [Self.survey("a", event: "a", groups: ["nps"]), Self.survey("b", event: "b", groups: ["nps"])],
                groups: [group]))
        try stage.record("a")
        try stage.record("b")
        let shown = try #require(try stage.presentNext())
        #expect(shown.survey == "a")
        let other = try #require(stage.presentations.first { $0.survey == "b" })
        #expect(other.state == .cancelled && other.reason == "groups")
        #expect(
            try Self.check(.groups, of: "b", &stage)
                == "group 'nps': 1 of 1 showings within 86400 s are used, until 2026-11-22T11:00:00.000Z")
    }

    @Test("in the debug mode a cap holds nobody up, and what is shown does not count")
    func debug() throws {
        var stage = Stage([Self.survey("rating", atMost: [ShowingCap(count: 1, within: Stage.day)])])
        stage.engine.setDebugMode(.debug)
        for _ in 0..<2 {
            try stage.record("done")
            try stage.dismiss(try #require(try stage.presentNext()).id)
        }
        stage.engine.setDebugMode(.production)
        try stage.record("done")
        #expect(stage.presentations(.ready).count == 1)
    }

    @Test("the higher priority comes first at the event and on the screen; prompts come before all")
    func priority() throws {
        var stage = Stage([
            Self.survey("low", priority: -1), Self.survey("first"), Self.survey("high", priority: 5),
            Self.survey("second"), Self.survey("late", event: "late", priority: 5),
        ])
        #expect(
            try Self.turn(of: "first", &stage) == "'high' has the higher priority 5 and is shown for the same event")
        var order: [String] = []
        for _ in 0..<4 { try stage.record("done") }
        stage.pass(1000)
        try stage.record("late")
        let waiting = try stage.explain("second", to: nil).waiting
        #expect(waiting?.reason == "'high' has its turn first, with the higher priority 5")
        while let shown = try stage.presentNext() {
            order.append(shown.survey)
            try stage.dismiss(shown.id)
        }
        #expect(order == ["high", "late", "first", "second", "low"])
    }

    private static func turn(of survey: String, _ stage: inout Stage) throws -> String {
        try stage.explain(survey, to: nil).checks.first { $0.name == "firstInLine" }?.explanation ?? ""
    }

    /// Each showing that counts, and who may be shown what then.
    struct Model {
        let configuration: SurveyConfiguration
        let groups: [SurveyGroup]
        var showings: [(user: String, survey: String, at: Timestamp)] = []

        func allows(_ survey: Survey, to user: String, at now: Timestamp) -> Bool {
            func fits(_ caps: [ShowingCap], _ isCounted: (String) -> Bool) -> Bool {
                caps.allSatisfy { cap in
                    showings.count {
                        $0.user == user && isCounted($0.survey)
                            && now.milliseconds - $0.at.milliseconds < cap.within
                    } < cap.count
                }
            }
            return fits(survey.limits.atMost) { $0 == survey.id } && fits(configuration.atMost) { _ in true }
                && groups.filter { survey.groups.contains($0.name) }.allSatisfy { group in
                    fits(group.atMost) { id in
                        configuration.surveys.contains { $0.id == id && $0.groups.contains(group.name) }
                    }
                }
        }
    }

    @Test("over random histories with restarts, as many are shown as a list of all showings allows", arguments: 0..<20)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        func caps() -> [ShowingCap] {
            (0..<Int.random(in: 0...2, using: &random)).map { _ in
                ShowingCap(
                    count: Int.random(in: 1...4, using: &random),
                    within: Int64.random(in: 1...40, using: &random) * Stage.hour)
            }
        }
        let groups = ["g", "h"].map { SurveyGroup(name: $0, atMost: caps()) }
        let surveys = (0..<5).map { number in
            Self.survey(
                "s\(number)", event: number < 3 ? "x" : "y", atMost: caps(),
                groups: ["g", "h"].filter { _ in Bool.random(using: &random) },
                priority: Int.random(in: -1...1, using: &random))
        }
        let configuration = SurveyConfiguration(surveys, atMost: caps(), groups: groups)
        var model = Model(configuration: configuration, groups: groups)
        var stage = Stage(configuration)
        let ranked = surveys.enumerated().sorted { (-$0.1.priority, $0.0) < (-$1.1.priority, $1.0) }.map(\.element)
        for step in 0..<150 {
            let note: Comment = "seed \(seed), step \(step)"
            let user = ["ada", "ben"].randomElement(using: &random) ?? "ada"
            try stage.startSession(user)
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<8:
                let event = ["x", "y"].randomElement(using: &random) ?? "x"
                try stage.record(event)
                let open = Set(stage.presentations(.ready).filter { $0.user.userId == user }.map(\.survey))
                let next = ranked.first {
                    $0.trigger.event == event && model.allows($0, to: user, at: stage.now)
                }
                // In a new session nothing waits because of the session, and a ready survey has its turn.
                if let next { #expect(open.contains(next.id), note) }
                guard Bool.random(using: &random), let offered = stage.offer() else { break }
                let best = stage.presentations(.ready).filter { $0.user.userId == user }
                    .compactMap { configuration.survey($0.survey)?.priority }.max()
                #expect(configuration.survey(offered.survey)?.priority == best, note)
                let survey = try #require(configuration.survey(offered.survey))
                #expect(model.allows(survey, to: user, at: stage.now), note)
                try stage.present(offered.id)
                model.showings.append((user, offered.survey, stage.now))
                for other in stage.presentations(.ready) where other.user.userId == user {
                    let other = try #require(configuration.survey(other.survey))
                    #expect(model.allows(other, to: user, at: stage.now), note)
                }
                try stage.dismiss(offered.id)
            case 8..<10: stage.pass(Int64.random(in: 0...20, using: &random) * Stage.hour)
            case 10: stage.restart()
            default:
                guard Int.random(in: 0..<4, using: &random) == 0 else { break }
                stage.clear(.user(user))
                model.showings.removeAll { $0.user == user }
            }
            for survey in surveys {
                for user in ["ada", "ben"] {
                    let checks = try stage.explain(survey.id, to: user).checks
                    let isAllowed = checks.filter { ["atMost", "groups", "globalAtMost"].contains($0.name) }
                        .allSatisfy(\.passed)
                    #expect(isAllowed == model.allows(survey, to: user, at: stage.now), note)
                }
            }
        }
    }
}
