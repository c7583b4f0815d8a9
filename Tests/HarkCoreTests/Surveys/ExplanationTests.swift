import HarkCore
import HarkWire
import Testing

@Suite("Explaining (S15)")
struct ExplanationTests {
    static func check(_ explanation: SurveyExplanation, _ name: String) throws -> SurveyExplanation.Check {
        try #require(explanation.checks.first { $0.name == name })
    }

    @Test("a survey that would show passes every check, and says why")
    func allPassed() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        let explanation = try stage.explain("rating", to: "u")
        #expect(explanation.wouldShow)
        #expect(explanation.checks.allSatisfy { $0.passed })
        let names =
            SurveyGate.Check.allCases.map(\.rawValue) + ["session", "notPending", "firstInLine", "room", "oneAtATime"]
        #expect(explanation.checks.map(\.name) == names)
        #expect(try Self.check(explanation, "maxAttempts").explanation == "0 attempts; there is no limit")
        #expect(
            try Self.check(explanation, "oncePerSession").explanation == "once a session; was not shown in this one")
    }

    @Test("each failing check has its numbers")
    func numbers() throws {
        var stage = Stage(
            [
                Samples.survey {
                    $0.maxAttempts = 1
                    $0.oncePerUser = true
                    $0.attemptCooldown = Stage.day
                    $0.rolloutPercent = 0
                    $0.starts = Timestamp("2027-01-01T00:00:00Z")
                    $0.ends = Timestamp("2026-01-01T00:00:00Z")
                }
            ], globalCooldown: 2 * Stage.hour)
        stage.engine.setDebugMode(DebugMode(bypassesGating: false))
        try stage.startSession("u")
        stage.configure(SurveyConfiguration([Samples.survey()], globalCooldown: 2 * Stage.hour))
        try stage.record("done")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        let strict = Samples.survey {
            $0.maxAttempts = 1
            $0.oncePerUser = true
            $0.attemptCooldown = Stage.day
            $0.rolloutPercent = 0
            $0.starts = Timestamp("2027-01-01T00:00:00Z")
            $0.ends = Timestamp("2026-01-01T00:00:00Z")
        }
        stage.configure(SurveyConfiguration([strict], globalCooldown: 2 * Stage.hour))
        stage.pass(Stage.hour + 500)
        let explanation = try stage.explain("rating", to: "u")
        #expect(!explanation.wouldShow)
        let failed = Set(explanation.checks.filter { !$0.passed }.map(\.name))
        #expect(
            failed == [
                "started", "notEnded", "rollout", "oncePerUser", "oncePerSession", "maxAttempts", "cooldown",
                "globalCooldown",
            ])
        func text(_ name: String) throws -> String { try Self.check(explanation, name).explanation }
        #expect(try text("started") == "starts on 2027-01-01T00:00:00.000Z")
        #expect(try text("notEnded") == "ends on 2026-01-01T00:00:00.000Z")
        #expect(try text("rollout").hasSuffix("it is shown below 0.0"))
        #expect(try text("oncePerUser") == "once a user; was shown on 2026-11-21T11:00:00.000Z")
        #expect(try text("maxAttempts") == "1 of 1 attempts are used")
        #expect(
            try text("cooldown")
                == "attempt cooldown of 86400 s; 82799.5 s are left, until 2026-11-22T11:00:00.000Z")
        #expect(
            try text("globalCooldown")
                == "global cooldown of 7200 s; 3599.5 s are left, until 2026-11-21T13:00:00.000Z")
    }

    @Test("completion names its time, and when a survey that repeats is asked again")
    func completion() throws {
        var stage = Stage([Samples.survey { $0.repeatEvery = Stage.day }])
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        let explanation = try stage.explain("rating", to: nil)
        #expect(
            try Self.check(explanation, "completion").explanation
                == "was answered on 2026-11-21T11:00:00.000Z, is asked again from 2026-11-22T11:00:00.000Z")
        stage.pass(Stage.day)
        #expect(try stage.explain("rating", to: nil).wouldShow)
    }

    @Test("another user's session, something that waits and something that is shown count, too")
    func situation() throws {
        var stage = Stage([Samples.survey(), Samples.survey("other", event: "more")])
        try stage.startSession("u")
        try stage.record("more")
        try stage.presentNext()
        try stage.record("done")
        let own = try stage.explain("rating", to: "u")
        #expect(Set(own.checks.filter { !$0.passed }.map(\.name)) == ["notPending", "oneAtATime"])
        let foreign = try stage.explain("rating", to: "v")
        #expect(try !Self.check(foreign, "session").passed)
        #expect(!foreign.wouldShow)
    }

    @Test("a survey that waits leaves its turn to the next, which is told so too")
    func turn() throws {
        var stage = Stage([Samples.survey("first"), Samples.survey("second"), Samples.survey("third", event: "more")])
        try stage.startSession("u")
        let before = try stage.explain("second", to: "u")
        #expect(!before.wouldShow)
        #expect(before.checks.filter { !$0.passed }.map(\.name) == ["firstInLine"])
        #expect(try Self.check(before, "firstInLine").explanation.contains("'first' comes before it"))
        #expect(try stage.explain("first", to: "u").wouldShow && stage.explain("third", to: "u").wouldShow)
        try stage.record("done")
        // Nobody looks at it, for days.
        stage.pass(9 * Stage.day)
        let first = try stage.explain("first", to: "u")
        #expect(first.checks.filter { !$0.passed }.map(\.name) == ["notPending"])
        #expect(try Self.check(first, "notPending").explanation.contains("is ready since this session"))
        #expect(try stage.explain("second", to: "u").wouldShow)
        try stage.record("done")
        #expect(stage.presentations.map(\.survey) == ["first", "second"])
        try stage.record("done")
        #expect(stage.presentations.count == 2)
    }

    @Test("one that is ready since an earlier session is told as waiting, as it is treated")
    func waitsSinceBefore() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        try stage.startSession("u")
        try stage.record("done")
        try stage.startSession("u")
        let check = try Self.check(try stage.explain("rating", to: "u"), "notPending")
        #expect(!check.passed && check.explanation.contains("is ready since an earlier session"))
        try stage.record("done")
        #expect(stage.presentations.count == 1)
    }

    @Test("a survey before it that takes only some of the events is named, and does not stand in the way")
    func partialRival() throws {
        var stage = Stage([Samples.survey("first", condition: .value("n", Matcher(.eq, 1))), Samples.survey("second")])
        try stage.startSession("u")
        let explanation = try stage.explain("second", to: "u")
        #expect(explanation.wouldShow)
        #expect(try Self.check(explanation, "firstInLine").explanation.contains("'first'"))
        try stage.record("done", [("n", .integer(2))])
        #expect(stage.presentations.map(\.survey) == ["second"])
    }

    @Test("with gating bypassed the checks are told all the same, and do not count")
    func bypassed() throws {
        var stage = Stage([Samples.survey { $0.maxAttempts = 1 }])
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        stage.engine.setDebugMode(.debug)
        let explanation = try stage.explain("rating", to: nil)
        #expect(explanation.isBypassed && explanation.wouldShow)
        #expect(try !Self.check(explanation, "completion").passed)
    }

    @Test("an unknown survey is not found")
    func unknown() throws {
        var stage = Stage([Samples.survey()])
        let error = #expect(throws: WireError.self) { try stage.explain("nope", to: nil) }
        #expect(error?.reason == .notFound)
    }

    @Test("it is written as JSON")
    func json() throws {
        var stage = Stage([Samples.survey()])
        let text = String(decoding: try stage.explain("rating", to: nil).info.json, as: UTF8.self)
        #expect(
            text.hasPrefix(
                #"{"surveyId":"rating","userId":null,"wouldShow":true,"gatingBypassed":false,"checks":[{"check":"muted""#
            ))
        #expect(try Samples.json(text)["checks"]?.arrayValue?.count == 22)
    }
}
