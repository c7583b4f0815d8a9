import HarkCore
import HarkWire
import Testing

@Suite("Gating (S4, S6)")
struct GatingTests {
    /// Shows the survey that is offered and dismisses it.
    static func showAndDismiss(_ stage: inout Stage) throws -> Bool {
        guard let shown = try stage.presentNext() else { return false }
        try stage.dismiss(shown.id)
        return true
    }

    static func triggerAndDismiss(_ stage: inout Stage, _ event: String = "done") throws -> Bool {
        try stage.record(event)
        return try showAndDismiss(&stage)
    }

    @Test("a matching event makes the survey ready at once")
    func atOnce() throws {
        var stage = Stage([Samples.survey(condition: .value("amount", Matcher(.gt, 50)))])
        try stage.record("done", [("amount", .integer(50))])
        #expect(stage.offer() == nil)
        try stage.record("other", [("amount", .integer(51))])
        #expect(stage.offer() == nil)
        try stage.record("done", [("amount", .double(50.5))])
        #expect(stage.offer()?.state == .ready)
        #expect(stage.presentations.count == 1)
    }

    @Test("once a session by default: not again in the session, but in the next")
    func oncePerSession() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
        #expect(try !Self.triggerAndDismiss(&stage))
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("a session goes on over a restart of the daemon, and what was shown in it stays shown")
    func oncePerSessionOverRestart() throws {
        var stage = Stage([Samples.survey()])
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
        stage.restart()
        #expect(try !Self.triggerAndDismiss(&stage))
    }

    @Test("the sessions of several apps are kept apart")
    func sessionsOfApps() throws {
        var stage = Stage([Samples.survey()])
        let other = Scope(uid: Stage.uid, app: "other")
        try stage.startSession("u")
        try stage.startSession("u", in: other)
        #expect(try Self.triggerAndDismiss(&stage))
        try stage.record("done", in: other)
        let second = try #require(try stage.presentNext(in: other))
        try stage.dismiss(second.id)
        #expect(try !Self.triggerAndDismiss(&stage))
        try stage.record("done", in: other)
        #expect(stage.offer(in: other) == nil)
    }

    @Test("without oncePerSession it comes again in the same session")
    func manyPerSession() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        for _ in 0..<3 { #expect(try Self.triggerAndDismiss(&stage)) }
    }

    @Test("once a user: never again, in whatever session, and other users are not concerned")
    func oncePerUser() throws {
        var stage = Stage([Samples.survey { $0.oncePerUser = true }])
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
        try stage.startSession("u")
        #expect(try !Self.triggerAndDismiss(&stage))
        try stage.startSession("v")
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("everybody without a user id counts as one user, and a user called anon as another")
    func anonymous() throws {
        var stage = Stage([Samples.survey { $0.oncePerUser = true }])
        try stage.startSession(nil)
        #expect(try Self.triggerAndDismiss(&stage))
        try stage.startSession(nil)
        #expect(try !Self.triggerAndDismiss(&stage))
        try stage.startSession("anon")
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("the same user id of another uid is another user")
    func uids() throws {
        var stage = Stage([Samples.survey { $0.oncePerUser = true }])
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
        let scope = Scope(uid: 2000)
        try stage.startSession("u", in: scope)
        try stage.record("done", in: scope)
        #expect(stage.offer(in: scope)?.user == UserKey(uid: 2000, userId: "u"))
    }

    @Test("the cooldown is the minimum time between two showings, to the millisecond")
    func cooldown() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.cooldown = Stage.hour
            }
        ])
        #expect(try Self.triggerAndDismiss(&stage))
        stage.pass(Stage.hour - 1)
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(1)
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("once a user wins over a cooldown that is over")
    func oncePerUserWins() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerUser = true
                $0.cooldown = 1000
            }
        ])
        try stage.startSession("u")
        #expect(try Self.triggerAndDismiss(&stage))
        stage.pass(1000 * Stage.day)
        try stage.startSession("u")
        #expect(try !Self.triggerAndDismiss(&stage))
    }

    @Test("after maxAttempts showings it does not come again")
    func maxAttempts() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.maxAttempts = 2
            }
        ])
        #expect(try Self.triggerAndDismiss(&stage))
        #expect(try Self.triggerAndDismiss(&stage))
        #expect(try !Self.triggerAndDismiss(&stage))
        #expect(stage.gating("rating").attempts == 2)
    }

    @Test("an attempt is counted when it is presented, not when it is dismissed")
    func countedWhenPresented() throws {
        var stage = Stage([Samples.survey { $0.maxAttempts = 1 }])
        try stage.record("done")
        #expect(stage.gating("rating").attempts == 0)
        let shown = try #require(try stage.presentNext())
        #expect(stage.gating("rating").attempts == 1)
        #expect(stage.gating("rating").lastPresented == stage.now)
        try stage.dismiss(shown.id)
        #expect(stage.gating("rating").attempts == 1)
    }

    @Test("the attempt cooldown takes the place of the cooldown after a dismissal")
    func attemptCooldown() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.cooldown = Stage.hour
                $0.attemptCooldown = Stage.day
            }
        ])
        #expect(try Self.triggerAndDismiss(&stage))
        stage.pass(Stage.day - 1)
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(1)
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("a survey that was answered never comes again")
    func completion() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, option: "Great")
        stage.pass(1000 * Stage.day)
        #expect(try !Self.triggerAndDismiss(&stage))
    }

    @Test("rules are tried in order: the first that matches and is allowed wins")
    func order() throws {
        var stage = Stage([
            Samples.survey("a", condition: .value("n", Matcher(.gt, 1))), Samples.survey("b"), Samples.survey("c"),
        ])
        try stage.record("done", [("n", .integer(1))])
        #expect(stage.offer()?.survey == "b")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        try stage.record("done", [("n", .integer(2))])
        #expect(stage.offer()?.survey == "a")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        try stage.record("done", [("n", .integer(2))])
        #expect(stage.presentations.map(\.survey) == ["b", "a", "c"])
    }

    @Test("events in one write that match bring about one presentation of a survey, and the next one has its turn")
    func inOneWrite() throws {
        var stage = Stage([Samples.survey("a") { $0.oncePerSession = false }, Samples.survey("b")])
        stage.commitsEachStep = false
        for _ in 0..<3 { try stage.record("done") }
        #expect(stage.presentations.map(\.survey) == ["a", "b"])
        stage.commit()
        #expect(stage.presentations.count == 2)
    }

    @Test("a global cooldown holds back every survey")
    func globalCooldown() throws {
        var stage = Stage(
            [Samples.survey("a"), Samples.survey("b", event: "more")], globalCooldown: Stage.hour)
        #expect(try Self.triggerAndDismiss(&stage))
        #expect(try !Self.triggerAndDismiss(&stage, "more"))
        stage.pass(Stage.hour)
        #expect(try Self.triggerAndDismiss(&stage, "more"))
    }

    @Test("what waits as ready is cancelled when another showing bars it")
    func barredWhileWaiting() throws {
        var stage = Stage(
            [Samples.survey("a"), Samples.survey("b", event: "more")], globalCooldown: Stage.hour)
        try stage.record("done")
        try stage.record("more")
        #expect(stage.presentations(.ready).count == 2)
        try stage.presentNext()
        #expect(stage.presentations(.cancelled).map(\.survey) == ["b"])
        #expect(stage.presentations(.cancelled).first?.reason == "globalCooldown")
    }

    @Test("dates bound when a survey is shown; the end date ends it")
    func dates() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.starts = Stage.start.adding(milliseconds: 1000)
                $0.ends = Stage.start.adding(milliseconds: 2000)
            }
        ])
        stage.pass(999)
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(1)
        #expect(try Self.triggerAndDismiss(&stage))
        stage.pass(1000)
        #expect(try !Self.triggerAndDismiss(&stage))
    }

    @Test("a percentage is the same users each time, and about so many")
    func rollout() throws {
        func chosen(_ survey: String, below percent: Double) -> Set<Int> {
            Set((0..<10_000).filter { UserKey(uid: 1000, userId: "user-\($0)").rolloutPlace(of: survey) < percent })
        }
        let twenty = chosen("s", below: 20)
        #expect((1900...2100).contains(twenty.count))
        #expect(chosen("s", below: 50).isSuperset(of: twenty))
        #expect(chosen("other", below: 20) != twenty)
        #expect(chosen("s", below: 0).isEmpty)
        #expect(chosen("s", below: 100).count == 10_000)

        let outsider = try #require((0..<100).first { !twenty.contains($0) })
        let insider = try #require(twenty.min())
        var stage = Stage([Samples.survey("s") { $0.rolloutPercent = 20 }])
        try stage.startSession("user-\(outsider)")
        #expect(try !Self.triggerAndDismiss(&stage))
        try stage.startSession("user-\(insider)")
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("a survey that repeats comes again when its time has come round, attempts and all")
    func repetition() throws {
        var stage = Stage([
            Samples.survey {
                $0.repeatEvery = 90 * Stage.day
                $0.maxAttempts = 1
            }
        ])
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Poor")
        stage.pass(90 * Stage.day - 1)
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(1)
        // The same session, and the only attempt of the round before is used up: both begin anew.
        #expect(try Self.triggerAndDismiss(&stage))
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(90 * Stage.day)
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("a cooldown goes on when a survey's time has come round")
    func cooldownOverRounds() throws {
        var stage = Stage([
            Samples.survey {
                $0.repeatEvery = Stage.hour
                $0.cooldown = Stage.day
            }
        ])
        #expect(try Self.triggerAndDismiss(&stage))
        stage.pass(Stage.day - 1)
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(1)
        #expect(try Self.triggerAndDismiss(&stage))
    }

    @Test("a clock that was set back does not make a cooldown last for years")
    func clockSetBack() throws {
        var stage = Stage([
            Samples.survey {
                $0.oncePerSession = false
                $0.cooldown = Stage.hour
            }
        ])
        let real = stage.now
        stage.now = Timestamp("2040-01-01T00:00:00Z")!
        #expect(try Self.triggerAndDismiss(&stage))
        stage.now = real
        #expect(try !Self.triggerAndDismiss(&stage))
        stage.pass(Stage.hour)
        #expect(try Self.triggerAndDismiss(&stage))
    }
}
