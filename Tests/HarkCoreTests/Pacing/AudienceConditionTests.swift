import HarkWire
import Testing

@testable import HarkCore

@Suite("Audiences by session, profile and first day")
struct AudienceConditionTests {
    private static func survey(_ id: String, delay: Int64 = 0, _ make: (inout Audience) -> Void) -> Survey {
        var survey = Samples.survey(id, event: "done", delay: delay) { $0.oncePerSession = false }
        make(&survey.audience)
        return survey
    }

    private static func plan(_ plan: String) -> Condition { .value("plan", Matcher(.eq, .string(plan))) }

    private static func start(_ userId: String?, _ metadata: [(String, PropertyValue)] = [], _ stage: inout Stage)
        throws
    {
        let scope = stage.scope
        stage.disk.bring(.countedScope(scope), to: &stage.engine)
        _ = try stage.engine.startSession(
            scope, userId: userId, metadata: Properties(metadata), source: stage.source, now: stage.now,
            into: &stage.changes)
        stage.step()
    }

    private static func passes(_ survey: String, to userId: String?, _ stage: inout Stage) throws -> Bool? {
        try stage.explain(survey, to: userId).checks.first { $0.name == "audience" }?.passed
    }

    @Test("the session's metadata decides with the event and again when the delay is over, and another user's is none")
    func session() throws {
        var stage = Stage([Self.survey("pro", delay: Stage.hour) { $0.session = Self.plan("pro") }])
        try Self.start("ada", [("plan", .string("free"))], &stage)
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        #expect(
            try AudienceTests.audience(of: "pro", to: "ada", &stage)
                == "session: plan is \"free\", asks for plan eq \"pro\"")
        try Self.start("ada", [("plan", .string("pro"))], &stage)
        try stage.record("done")
        #expect(stage.presentations.map(\.state) == [.scheduled])
        #expect(
            try AudienceTests.audience(of: "pro", to: "ben", &stage)
                == "session: there is none of this user, asks for plan eq \"pro\"")
        try Self.start("ben", [("plan", .string("pro"))], &stage)
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.reason) == ["audience"])
    }

    @Test("somebody new is first seen now, and others with their oldest session, over restarts")
    func firstSeen() throws {
        var stage = Stage([
            Self.survey("old") { $0.firstSeen = Audience.Age(atLeast: 7 * Stage.day) },
            Self.survey("new") { $0.firstSeen = Audience.Age(atMost: Stage.day) },
        ])
        func passing(_ user: String?) throws -> [String] {
            try ["old", "new"].filter { try Self.passes($0, to: user, &stage) ?? false }
        }
        #expect(try passing("ada") == ["new"])
        #expect(
            try AudienceTests.audience(of: "old", to: "ada", &stage)
                == "first seen just now, asks for at least 604800 s ago")
        try Self.start("ada", [], &stage)
        stage.pass(Stage.day)
        #expect(try passing("ada") == ["new"])
        stage.pass(1)
        #expect(try passing("ada") == [])
        try Self.start("ben", [], &stage)
        stage.pass(6 * Stage.day)
        stage.restart()
        #expect(try passing("ada") == ["old"] && passing("ben") == [] && passing("eve") == ["new"])
        try Self.start("ada", [], &stage)
        #expect(try passing("ada") == ["old"])
        #expect(
            try AudienceTests.audience(of: "old", to: "ada", &stage)
                == "first seen on 2026-11-21T11:00:00.000Z, 604800.001 s ago, asks for at least 604800 s ago")
        stage.clear(.user("ada"))
        try Self.start("ada", [], &stage)
        #expect(try passing("ada") == ["new"])
    }

    @Test("the values of the profile decide, brought in with the event and when the delay is over")
    func profile() throws {
        let asksFor: (inout Audience) -> Void = { $0.profile = .value("goal", Matcher(.eq, .string("Sleep"))) }
        var stage = Stage([Self.survey("sleepers", delay: Stage.hour, asksFor)])
        let forms = FormConfiguration.read(
            try Samples.json(
                """
                {"forms": [{"id": "goals", "title": "G", "questions":
                    [{"id": "goal", "type": "single", "question": "?", "options": ["Sleep", "Focus"]}]}],
                 "profile": {"form": "goals", "values": {"goal": {"question": "goal"}}}}
                """))
        #expect(forms.issues.errors.isEmpty, "\(forms.issues.errors)")
        let configuration = try #require(forms.configuration)
        stage.engine.configure(configuration)
        func answer(_ goal: String?) {
            var state = FormState(startedAt: stage.now)
            if let goal { state.answers[ExactName("goal")] = FormAnswer(.choice(goal), at: stage.now) }
            stage.disk.forms[UserKey(uid: Stage.uid, userId: "ada")] = [ExactName("goals"): state]
            // With nothing of the users in memory.
            stage.restart()
            stage.engine.configure(configuration)
        }
        try Self.start("ada", [], &stage)
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        #expect(
            try AudienceTests.audience(of: "sleepers", to: "ada", &stage)
                == "profile: goal is not set, asks for goal eq \"Sleep\"")
        answer("Focus")
        try stage.record("done")
        #expect(stage.presentations.isEmpty)
        answer("Sleep")
        try stage.record("done")
        #expect(stage.presentations.map(\.state) == [.scheduled])
        answer("Sleep")
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready])
        answer("Focus")
        stage.engine.configure(FormConfiguration.none)
        #expect(
            try AudienceTests.audience(of: "sleepers", to: "ada", &stage)
                == "profile: there is none, asks for goal eq \"Sleep\"")
    }
}
