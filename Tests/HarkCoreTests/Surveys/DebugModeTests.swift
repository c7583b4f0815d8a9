import HarkCore
import HarkWire
import Testing

@Suite("Debug mode (S10)")
struct DebugModeTests {
    static func strict(_ delay: Int64 = 0) -> Survey {
        Samples.survey(delay: delay) {
            $0.oncePerUser = true
            $0.maxAttempts = 1
            $0.cooldown = Stage.day
        }
    }

    @Test("while gating is bypassed a survey is shown every time, and no showing counts")
    func bypass() throws {
        var stage = Stage([Self.strict()], globalCooldown: Stage.day)
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        let before = stage.gating("rating")
        stage.engine.setDebugMode(DebugMode(bypassesGating: true))
        for _ in 0..<3 {
            try stage.record("done")
            let shown = try #require(try stage.presentNext())
            try stage.answer(shown.id, option: "Great")
        }
        #expect(stage.gating("rating") == before)
        #expect(stage.events("survey_presented").map { $0["debugMode"] } == [false, true, true, true])
        #expect(stage.events("survey_response").count == 4)
        stage.engine.setDebugMode(.production)
        try stage.record("done")
        #expect(stage.offer() == nil)
    }

    @Test("the delay is overridden alone: gating holds")
    func delay() throws {
        var stage = Stage([Self.strict(Stage.hour)])
        stage.engine.setDebugMode(DebugMode(delay: 10_000))
        try stage.record("done")
        stage.pass(9_999)
        #expect(stage.offer() == nil)
        stage.pass(1)
        try stage.dismiss(try #require(try stage.presentNext()).id)
        #expect(stage.gating("rating").attempts == 1)
        try stage.record("done")
        #expect(stage.presentations.count == 1)
    }

    @Test("a survey without a delay is not delayed by the override")
    func noDelay() throws {
        var stage = Stage([Self.strict()])
        stage.engine.setDebugMode(.debug)
        try stage.record("done")
        #expect(stage.offer() != nil)
    }

    @Test("the attempt cooldown is overridden alone")
    func attemptCooldown() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.attemptCooldown = Stage.day
                $0.maxAttempts = 2
            }
        ])
        stage.engine.setDebugMode(DebugMode(attemptCooldown: 5_000))
        #expect(try GatingTests.triggerAndDismiss(&stage))
        stage.pass(4_999)
        #expect(try !GatingTests.triggerAndDismiss(&stage))
        stage.pass(1)
        #expect(try GatingTests.triggerAndDismiss(&stage))
        stage.pass(5_000)
        #expect(try !GatingTests.triggerAndDismiss(&stage))
    }

    @Test("the presets are production and debug")
    func presets() {
        #expect(DebugPreset.allCases.map { DebugMode($0) } == [.production, .debug])
        #expect(!DebugMode.production.isOn)
        #expect(DebugMode.debug == DebugMode(bypassesGating: true, delay: 10_000, attemptCooldown: 10_000))
    }

    @Test("the mode stays through a restart of the engine")
    func restart() throws {
        var stage = Stage([Self.strict()])
        stage.engine.setDebugMode(.debug)
        stage.restart()
        #expect(stage.engine.surveys.debug == .debug)
        #expect(stage.engine.surveys.configuration.surveys.count == 1)
    }
}
