import HarkWire
import Testing

@testable import HarkCore

@Suite("What people say of being asked")
struct MutingTests {
    private static let forEver = Engine.WishOrder(mutedUntil: .latest)

    /// A way in which a survey may come, up to where it would be shown: with `present`, if nothing keeps it.
    private static let ways: [(name: String, bring: @Sendable (inout Stage) throws -> Void)] = [
        ("an event", { try $0.record("done") }),
        (
            "an event, in debug mode",
            { stage in
                stage.engine.setDebugMode(.debug)
                try stage.record("done")
                stage.pass(Stage.day)
            }
        ),
        (
            "an event of another app and user",
            { stage in
                let other = Scope(uid: Stage.uid, app: "kiosk")
                try stage.startSession("eve", in: other)
                try stage.record("done", in: other)
            }
        ),
        (
            "a counter",
            { stage in
                try stage.register("opens")
                try stage.trigger("opens")
            }
        ),
        (
            "an execution",
            { stage in
                try stage.startSession("ada")
                stage.disk.bring(.user(UserKey(uid: Stage.uid, userId: "ada")), to: &stage.engine)
                _ = stage.engine.raise(
                    survey: "rating", in: stage.scope, source: stage.source, now: stage.now, into: &stage.changes)
                stage.step()
            }
        ),
        (
            "a document of a hub",
            { stage in
                var pushed = SurveyConfiguration([Samples.survey(), Samples.survey("news", event: "news")])
                pushed.isFromAfar = true
                stage.configure(pushed)
                try stage.record("done")
            }
        ),
        (
            "a restart",
            { stage in
                stage.restart()
                try stage.record("done")
            }
        ),
    ]

    @Test("muted is muted, whatever way a survey comes, by its name and with all of them", arguments: [nil, "rating"])
    func everyWay(survey: String?) throws {
        for way in Self.ways {
            for isMuted in [false, true] {
                var stage = Stage([
                    Samples.survey(),
                    Survey(
                        id: "counted", content: Samples.options,
                        trigger: SurveyTrigger(event: nil, counters: .atLeast("opens", 1))),
                ])
                if isMuted {
                    try stage.wish(Self.forEver, of: survey)
                    if survey != nil { try stage.wish(Self.forEver, of: "counted") }
                }
                try way.bring(&stage)
                let scopes = [stage.scope, Scope(uid: Stage.uid, app: "kiosk")]
                let offered = scopes.contains { stage.offer(in: $0) != nil }
                #expect(offered == !isMuted, "\(way.name), muted: \(isMuted)")
                #expect(stage.presentations.contains { $0.state.isOpen } == !isMuted, "\(way.name)")
            }
        }
    }

    @Test(
        "what waits is cancelled, for users that are not at hand too: scheduled, ready, put off, and shown with nothing in it"
    )
    func waiting() throws {
        var stage = Stage([
            Samples.survey("later", event: "a", delay: Stage.hour), Samples.survey("ready", event: "b"),
            Samples.survey("other", event: "c"),
        ])
        for user in ["ada", "bob"] {
            try stage.startSession(user)
            for event in ["a", "b", "c"] { try stage.record(event) }
        }
        let shown = try #require(try stage.presentNext())
        try stage.snooze(shown.id, for: Stage.day)
        try stage.presentNext()
        stage.restart()
        try stage.wish(Self.forEver, of: "later")
        try stage.wish(Self.forEver, of: "ready")
        let gone = stage.presentations.filter { $0.survey != "other" }
        #expect(gone.count == 4)
        #expect(gone.allSatisfy { $0.state == .cancelled && $0.reason == "muted" }, "\(gone)")
        #expect(stage.presentations.filter { $0.survey == "other" }.allSatisfy { $0.state.isOpen })
        try stage.wish(Self.forEver)
        #expect(stage.presentations.allSatisfy { !$0.state.isOpen })
    }

    @Test("what somebody has begun to answer stays, and goes when nobody shows it any more")
    func begun() throws {
        var stage = Stage([Samples.survey(content: Samples.text())])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.keep(shown.id, ["text": "half"])
        try stage.wish(Self.forEver)
        #expect(stage.presentations(.presented).count == 1)
        try stage.release(shown.id)
        #expect(stage.presentations(.cancelled).map(\.reason) == ["muted"])
    }

    @Test("what was put off does not come again when it was muted meanwhile, over a restart too")
    func putOff() throws {
        var stage = Stage([Samples.survey()])
        try stage.record("done")
        let shown = try #require(try stage.presentNext())
        try stage.snooze(shown.id, for: Stage.hour)
        try stage.wish(Engine.WishOrder(mutedUntil: stage.now.adding(milliseconds: 2 * Stage.hour)))
        stage.restart()
        stage.pass(Stage.day)
        #expect(stage.presentations(.cancelled).map(\.reason) == ["muted"])
    }

    @Test("a mute ends at its time; taking it back gives no attempt back, and nothing that was cancelled")
    func ending() throws {
        var stage = Stage([
            Samples.survey {
                $0.maxAttempts = 2
                $0.oncePerSession = false
            }
        ])
        try stage.record("done")
        try stage.presentNext()
        try stage.wish(Engine.WishOrder(mutedUntil: stage.now.adding(milliseconds: Stage.hour)), of: "rating")
        try stage.record("done")
        #expect(stage.offer() == nil && stage.presentations(.cancelled).count == 1)
        stage.pass(Stage.hour)
        try stage.record("done")
        #expect(stage.offer() != nil)
        try stage.wish(Self.forEver)
        #expect(stage.takeBackWishes() == 1)
        #expect(stage.offer() == nil && stage.gating("rating").attempts == 1)
        try stage.record("done")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        try stage.record("done")
        #expect(stage.offer() == nil)
    }

    @Test("not again is said with closing: an event tells it, the others of the survey go, and nobody else may say so")
    func never() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }, Samples.survey("more", event: "more")])
        let kiosk = Scope(uid: Stage.uid, app: "kiosk")
        try stage.record("done")
        try stage.record("more")
        try stage.startSession("eve", in: kiosk)
        try stage.record("done", in: kiosk)
        let shown = try #require(try stage.presentNext())
        let error = #expect(throws: WireError.self) { try stage.dismissForEver(shown.id, by: 0) }
        #expect(error?.reason == .permissionDenied)
        #expect(stage.presentations(.presented).count == 1)
        try stage.dismissForEver(shown.id)
        #expect(stage.events("survey_dismissed").map { $0["for"] } == ["ever"])
        #expect(stage.presentations(.cancelled).map(\.reason) == ["muted"])
        #expect(stage.presentations(.ready).map(\.survey) == ["more"])
        try stage.record("done", in: kiosk)
        #expect(stage.offer(in: kiosk) == nil)
        #expect(try stage.ask(try .sample()).state == .open)
    }

    @Test("at most once in a while holds between any two surveys, or two of one, over users, apps and debug mode")
    func interval() throws {
        for survey in [nil, "rating"] {
            var stage = Stage([Samples.survey { $0.oncePerSession = false }, Samples.survey("more", event: "more")])
            try stage.wish(Engine.WishOrder(every: 7 * Stage.day), of: survey)
            stage.engine.setDebugMode(DebugMode(bypassesGating: true))
            try stage.record("done")
            try stage.dismiss(try #require(try stage.presentNext()).id)
            stage.restart()
            try stage.startSession("eve")
            try stage.record("done")
            #expect(stage.offer() == nil)
            try stage.record("more")
            #expect((stage.offer() == nil) == (survey == nil))
            #expect(try stage.explain("rating", to: "eve").wouldShow == false)
            stage.pass(7 * Stage.day - 1)
            try stage.record("done")
            #expect(stage.offer()?.survey != "rating")
            stage.pass(1)
            try stage.record("done")
            #expect(stage.offer() != nil)
        }
    }

    @Test(
        "surveys from a hub or a URL come once in seven days, unless the person says otherwise; the machine's own as they will"
    )
    func fromAfar() throws {
        func shown(_ isFromAfar: Bool, every: Int64?, after pause: Int64) throws -> Bool {
            var configuration = SurveyConfiguration([
                Samples.survey(), Samples.survey("more", event: "more"),
            ])
            configuration.isFromAfar = isFromAfar
            var stage = Stage(configuration)
            if let every { try stage.wish(Engine.WishOrder(every: every)) }
            try stage.record("done")
            try stage.dismiss(try #require(try stage.presentNext()).id)
            stage.pass(pause)
            try stage.record("more")
            return stage.offer() != nil
        }
        #expect(try shown(false, every: nil, after: 0))
        #expect(try !shown(true, every: nil, after: 7 * Stage.day - 1))
        #expect(try shown(true, every: nil, after: 7 * Stage.day))
        #expect(try shown(true, every: 0, after: 0))
        #expect(try !shown(true, every: Stage.day, after: Stage.hour))
        #expect(try shown(true, every: Stage.day, after: Stage.day))
    }

    @Test("a clock that is set back makes no interval longer than it is")
    func clock() throws {
        var stage = Stage([Samples.survey { $0.oncePerSession = false }])
        try stage.wish(Engine.WishOrder(every: Stage.hour))
        stage.setClock(to: Stage.start.adding(milliseconds: 300 * Stage.day))
        try stage.record("done")
        try stage.dismiss(try #require(try stage.presentNext()).id)
        stage.setClock(to: Stage.start)
        try stage.record("done")
        #expect(stage.offer() == nil)
        stage.pass(Stage.hour)
        try stage.record("done")
        #expect(stage.offer() != nil)
    }

    @Test("programs ask all the same, unless that was said: then they are told at once, and who else is asked is asked")
    func prompts() throws {
        var stage = Stage()
        try stage.wish(Self.forEver)
        let open = try stage.ask(try .sample("deploy"))
        #expect(open.state == .open)
        try stage.snooze(open.presentations[0].id, for: 1_000)
        try stage.wish(Engine.WishOrder(mutedUntil: .latest, mutesPrompts: true), of: "deploy")
        #expect(try stage.standing(open.prompt.id).state == .cancelled)
        let muted = try stage.ask(try .sample("deploy"))
        #expect(muted.state == .cancelled && muted.presentations.map(\.reason) == ["muted"])
        let others = try stage.ask(try .sample("deploy"), uids: [Stage.uid, 1001])
        #expect(others.state == .open && others.presentations.map(\.state) == [.cancelled, .ready])
        #expect(try stage.ask(try .sample("backup")).state == .open)
    }

    @Test("it is told, and says that it can be taken back")
    func explanation() throws {
        var stage = Stage([Samples.survey()])
        try stage.wish(Self.forEver)
        try stage.wish(Engine.WishOrder(every: 7 * Stage.day))
        let explanation = try stage.explain("rating", to: nil)
        let failed = explanation.checks.filter { !$0.passed }
        #expect(!explanation.wouldShow && failed.map(\.name) == ["muted"])
        #expect(failed.first?.explanation == "you have muted all surveys for ever; 'hark unmute' undoes that")
        let interval = explanation.checks.first { $0.name == "ownInterval" }
        #expect(interval?.explanation == "your own interval of 604800 s; was never shown")
    }

    @Test("a clear forgets when somebody was asked, and nothing that was said; one account says nothing for another")
    func clearing() throws {
        var stage = Stage([Samples.survey(), Samples.survey("more", event: "more")])
        try stage.wish(Engine.WishOrder(every: Stage.day))
        try stage.wish(Self.forEver, of: "more")
        try stage.wish(Self.forEver, uid: 1001)
        try stage.record("done")
        try stage.presentNext()
        stage.clear(.all)
        stage.restart()
        try stage.record("done")
        try stage.record("more")
        #expect(stage.offer()?.survey == "rating")
        #expect(stage.engine.wishes.mutingCounts(at: stage.now).map(\.count) == [1, 1])
        #expect(stage.engine.wishes.inForce(of: 1001, at: stage.now).count == 1)
    }

    @Test("what may be said is bounded; what is over makes room, and all can be muted always")
    func bound() throws {
        var stage = Stage()
        stage.commitsEachStep = false
        let soon = Engine.WishOrder(mutedUntil: stage.now.adding(milliseconds: Stage.hour))
        for number in 0..<Limits.wishesPerUser { try stage.wish(soon, of: "survey-\(number)") }
        let error = #expect(throws: WireError.self) { try stage.wish(soon, of: "one more") }
        #expect(error?.reason == .tooLarge)
        try stage.wish(soon, of: "survey-0")
        try stage.wish(Self.forEver)
        stage.now = stage.now.adding(milliseconds: Stage.hour)
        try stage.wish(Self.forEver, of: "one more")
        #expect(
            stage.engine.wishes.inForce(of: Stage.uid, at: stage.now).map { $0.key.survey?.text } == [nil, "one more"])
        #expect(throws: WireError.self) { try stage.wish(Self.forEver, of: String(repeating: "x", count: 4_097)) }
    }
}
