import HarkStore
import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

/// An engine on a real store, committed to after each step.
final class StoredStage {
    static let start = Timestamp("2026-11-21T11:00:00Z")!
    static let hour: Int64 = 3_600_000

    let folder: TemporaryFolder
    private(set) var store: Store
    private(set) var reader: StoreReader
    var engine: Engine
    var changes = Changes()
    var now = StoredStage.start
    let source = Source(uid: 1000, pid: 1)

    init(_ configuration: SurveyConfiguration) throws {
        folder = try TemporaryFolder()
        store = try Store(folder: folder.path)
        reader = try store.makeReader()
        engine = Engine(watermark: store.watermark)
        try reader.bring(.eventRules, to: &engine)
        engine.configure(configuration, now: now, into: &changes)
    }

    deinit { store.close() }

    @discardableResult
    func commit() async throws -> CommitReport {
        engine.handOver(completing: &changes)
        let batch = Batch(changes: changes, watermark: engine.watermark)
        changes = Changes()
        let report = try await withCheckedContinuation { continuation in
            store.commit(batch) { _, outcome in continuation.resume(returning: outcome) }
        }.get()
        engine.settle()
        return report
    }

    /// Closes the file and starts again with its content.
    func restart() throws {
        let configuration = engine.surveys.configuration
        store.close()
        store = try Store(folder: folder.path)
        reader = try store.makeReader()
        engine = Engine(watermark: store.watermark)
        try reader.bring(.eventRules, to: &engine)
        engine.configure(configuration, now: now, into: &changes)
        try reader.bring(.shown, to: &engine)
        engine.releaseShown(now: now, into: &changes)
    }

    func start(_ userId: String?, _ scope: Scope) throws -> Session {
        if !engine.sessions.isLoaded(scope) { engine.admit(scope, current: try reader.currentSession(of: scope)) }
        return try engine.startSession(scope, userId: userId, source: source, now: now, into: &changes)
    }

    func record(_ name: String, _ scope: Scope, _ properties: [(String, PropertyValue)] = []) throws {
        if !engine.sessions.isLoaded(scope) { engine.admit(scope, current: try reader.currentSession(of: scope)) }
        if let user = engine.surveyUser(recording: name, in: scope) { try reader.bring(.user(user), to: &engine) }
        _ = try engine.record(
            name, properties: Properties(properties), in: scope, source: source, now: now, into: &changes)
    }

    func fire() async throws {
        var isMore = true
        while isMore {
            try reader.bring(.due(at: now), to: &engine)
            isMore = engine.fire(now: now, into: &changes)
            try await commit()
        }
    }

    func offer(_ scope: Scope) throws -> Presentation? {
        try reader.bring(.offers(in: scope), to: &engine)
        return engine.offer(in: scope, now: now)
    }

    func present(_ id: Identifier) throws -> Presentation {
        try reader.bring(.presentation(id), to: &engine)
        return try engine.present(id, visibleTo: nil, locale: "de", source: source, now: now, into: &changes)
    }

    func answer(_ id: Identifier, _ answers: JSONObject) throws -> Presentation {
        try reader.bring(.presentation(id), to: &engine)
        return try engine.answer(
            id, SurveySubmission(answers: answers), visibleTo: nil, source: source, now: now, into: &changes)
    }

    func stored(_ query: PresentationQuery = PresentationQuery()) throws -> [Presentation] {
        var found: [Presentation] = []
        _ = try reader.forEachPresentation(query) { presentation, _ in found.append(presentation) }
        return found
    }
}

@Suite("Surveys in the store")
struct StoredSurveyTests {
    static let scope = Scope(uid: 1000, app: "shop")

    static func survey(_ id: String = "s", event: String = "done", delay: Int64 = 0) -> Survey {
        let questions = [
            Question(id: "rooms", prompt: "?", kind: .multiple(["a", "b", "c"].map { .init($0) }, 1...3)),
            Question(id: "why", prompt: "?", kind: .text(.init()), isRequired: false),
            Question(id: "nps", prompt: "?", kind: .nps),
        ]
        var limits = SurveyLimits()
        limits.expireAfter = 30 * 24 * StoredStage.hour
        return Survey(
            id: id,
            content: SurveyContent(
                title: "T", message: "M", responseType: .questions, questionnaire: Questionnaire(questions)),
            trigger: SurveyTrigger(event: event, delay: delay), limits: limits)
    }

    @Test("a presentation and its gating come back from the file as they were", arguments: [nil, "u", "ü/\u{1F600}"])
    func roundTrip(userId: String?) async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey()]))
        _ = try stage.start(userId, Self.scope)
        let properties: [(String, PropertyValue)] = [
            ("plan", .string("\u{0}")), ("n", .double(0.5)), ("on", .bool(false)),
        ]
        try stage.record("done", Self.scope, properties)
        let shown = try stage.present(try #require(try stage.offer(Self.scope)).id)
        stage.now = stage.now.adding(milliseconds: 1234)
        let answered = try stage.answer(shown.id, ["rooms": ["c", "a"], "why": " so ", "nps": 9])
        let user = UserKey(uid: 1000, userId: userId)
        let gating = try #require(stage.engine.surveys.state(of: user)?.gating[ExactName("s")])
        try await stage.commit()
        #expect(try stage.stored() == [answered] && answered.trigger == Properties(properties))
        try stage.restart()
        #expect(try stage.stored() == [answered])
        try stage.reader.bring(.user(user), to: &stage.engine)
        let known = UserSurveys(gating: [ExactName("s"): gating], firstSeen: StoredStage.start)
        #expect(stage.engine.surveys.state(of: user) == known)
        #expect(gating.completed == stage.now && gating.attempts == 1 && gating.sessions.count == 1)
    }

    @Test("a survey that is due, or named, comes with its user and the session of its scope", arguments: [true, false])
    func broughtAlong(isDue: Bool) async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey(delay: StoredStage.hour)]))
        _ = try stage.start("u", Self.scope)
        try stage.record("done", Self.scope)
        try await stage.commit()
        let id = try #require(try stage.stored().first).id
        try stage.restart()
        #expect(!stage.engine.sessions.isLoaded(Self.scope))
        stage.now = stage.now.adding(milliseconds: StoredStage.hour)
        try stage.reader.bring(isDue ? .due(at: stage.now) : .presentation(id), to: &stage.engine)
        #expect(stage.engine.surveys.presentation(id) != nil)
        #expect(stage.engine.sessions.isLoaded(Self.scope))
        #expect(stage.engine.sessions.current(Self.scope)?.identity.userId == "u")
    }

    @Test("what is shown when the file is closed is shown again, and its scope is remembered")
    func shown() async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey()]))
        _ = try stage.start("u", Self.scope)
        try stage.record("done", Self.scope)
        let shown = try stage.present(try #require(try stage.offer(Self.scope)).id)
        try await stage.commit()
        try stage.restart()
        try await stage.commit()
        #expect(try stage.stored().map(\.state) == [.ready])
        #expect(try stage.offer(Self.scope)?.id == shown.id)
        let again = try stage.present(shown.id)
        #expect(again.presentedAt == shown.presentedAt)
    }

    @Test("a closed presentation is known by its end, one that never was is not")
    func closed() async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey()]))
        _ = try stage.start("u", Self.scope)
        try stage.record("done", Self.scope)
        let shown = try stage.present(try #require(try stage.offer(Self.scope)).id)
        _ = try stage.answer(shown.id, ["rooms": ["a"], "nps": 1])
        try await stage.commit()
        try stage.restart()
        let late = #expect(throws: WireError.self) { try stage.answer(shown.id, ["nps": 2]) }
        #expect(late?.reason == .alreadyClosed)
        let never = #expect(throws: WireError.self) { try stage.present(Identifier(high: 1, low: 1)) }
        #expect(never?.reason == .notFound)
    }

    @Test("a thousand schedules of a thousand users are brought in a page at a time and fire in order")
    func pages() async throws {
        let stage = try StoredStage(SurveyConfiguration([Self.survey(delay: StoredStage.hour)]))
        for number in 0..<1000 {
            let scope = Scope(uid: 1000, app: "app\(number)")
            stage.now = StoredStage.start.adding(milliseconds: Int64((number * 617) % 1000))
            _ = try stage.start("u\(number)", scope)
            try stage.record("done", scope)
        }
        try await stage.commit()
        try stage.restart()
        #expect(stage.engine.earliestDue == .earliest)
        stage.now = StoredStage.start.adding(milliseconds: StoredStage.hour + 499)
        try await stage.fire()
        var ready = PresentationQuery()
        ready.states = [.ready]
        #expect(try stage.stored(ready).count == 500)
        #expect(stage.engine.earliestDue == StoredStage.start.adding(milliseconds: StoredStage.hour + 500))
        stage.now = StoredStage.start.adding(milliseconds: StoredStage.hour + 2000)
        try await stage.fire()
        #expect(try stage.stored(ready).count == 1000)
        // Their ends are in the schedule now.
        #expect(stage.engine.earliestDue.map { $0 > stage.now } ?? false)
    }

    @Test("a list comes in pages, by survey, user, app and state")
    func lists() async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a", delay: 5), Self.survey("b", event: "more", delay: 5)]))
        for user in ["u", nil, "v"] {
            for app in ["one", "two"] {
                _ = try stage.start(user, Scope(uid: 1000, app: app))
                try stage.record("done", Scope(uid: 1000, app: app))
                try stage.record("more", Scope(uid: 1000, app: app))
            }
        }
        try await stage.commit()
        func count(_ change: (inout PresentationQuery) -> Void) throws -> Int {
            var query = PresentationQuery()
            change(&query)
            return try stage.stored(query).count
        }
        #expect(try count { _ in } == 12)
        #expect(try count { $0.survey = "a" } == 6)
        #expect(try count { $0.user = .user(nil) } == 4)
        #expect(try count { $0.user = .user("u") } == 4)
        #expect(try count { $0.app = "one" } == 6)
        #expect(try count { $0.uid = 7 } == 0)
        #expect(try count { $0.states = [.answered] } == 0)
        #expect(try count { $0.states = [.scheduled, .ready] } == 12)
        var query = PresentationQuery()
        query.limit = 5
        var pages: [Int] = []
        repeat {
            var page = 0
            query.afterRow = try stage.reader.forEachPresentation(query) { _, _ in page += 1 }
            pages.append(page)
        } while query.afterRow != nil
        #expect(pages == [5, 5, 2])
    }

    @Test("a survey that is gone is cancelled in the file, for users that are not loaded, too")
    func removal() async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a", delay: 5), Self.survey("b' OR 1", event: "more", delay: 5)]))
        for user in ["u", "v"] {
            _ = try stage.start(user, Self.scope)
            try stage.record("done", Self.scope)
            try stage.record("more", Self.scope)
        }
        try await stage.commit()
        try stage.restart()
        stage.engine.configure(
            SurveyConfiguration([Self.survey("b' OR 1", event: "more")]), now: stage.now, into: &stage.changes)
        let users = try stage.reader.openSurveys(after: nil, limit: 100).filter { $0.survey == "a" }.map(\.user)
        #expect(users.map(\.userId) == ["u", "v"])
        for user in users {
            try stage.reader.bring(.user(user), to: &stage.engine)
            stage.engine.cancelGone(of: user, now: stage.now, into: &stage.changes)
        }
        try await stage.commit()
        let stored = try stage.stored()
        #expect(stored.filter { $0.survey == "a" }.map(\.state) == [.cancelled, .cancelled])
        #expect(stored.filter { $0.survey == "a" }.allSatisfy { $0.reason == "surveyRemoved" && $0.closedAt != nil })
        #expect(stored.filter { $0.survey != "a" }.map(\.state) == [.scheduled, .scheduled])
    }

    @Test("what is open is gone through by user and survey, each once, in pages", arguments: [1, 2, 3, 100])
    func openSurveys(limit: Int) async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a", delay: 5), Self.survey("b", event: "more", delay: 5)]))
        for user in [nil, "v", "u"] {
            // In two sessions each, so that each survey is open twice.
            for _ in 0..<2 {
                _ = try stage.start(user, Self.scope)
                try stage.record("done", Self.scope)
                if user != nil { try stage.record("more", Self.scope) }
            }
        }
        try await stage.commit()
        #expect(try stage.stored().count == 10)
        var found: [OpenSurvey] = []
        while found.count < 10 {
            let page = try stage.reader.openSurveys(after: found.last, limit: limit)
            found += page
            if page.count < limit { break }
        }
        #expect(found.map { "\($0.user.userId ?? "-") \($0.survey)" } == ["- a", "u a", "u b", "v a", "v b"])
    }

    static let targets: [(Selection.Target, uid: UInt32?, left: Int, gating: Bool)] = [
        (.all, nil, 0, false), (.all, 1000, 0, false), (.all, 7, 4, true), (.user("u"), 1000, 2, false),
        (.user(nil), 1000, 4, true), (.user("u"), 7, 4, true),
    ]

    @Test("a removal deletes what it means from the file", arguments: targets)
    func clearing(target: Selection.Target, uid: UInt32?, left: Int, gating: Bool) async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a"), Self.survey("b", event: "more", delay: 5)]))
        for user in ["v", "u"] {
            _ = try stage.start(user, Self.scope)
            try stage.record("done", Self.scope)
            try stage.record("more", Self.scope)
            _ = try stage.present(try #require(try stage.offer(Self.scope)).id)
        }
        try await stage.commit()
        try stage.restart()
        _ = stage.engine.clear(target, uid: uid, now: stage.now, into: &stage.changes)
        try await stage.commit()
        #expect(try stage.stored().count == left)
        try stage.restart()
        let user = UserKey(uid: 1000, userId: "u")
        try stage.reader.bring(.user(user), to: &stage.engine)
        #expect(stage.engine.surveys.state(of: user)?.gating.isEmpty == !gating)
    }

    @Test(
        "a clear of the session of its event leaves a showing of another session, without the properties of that event")
    func originCleared() async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a", delay: 5), Self.survey("b", event: "more", delay: 5)]))
        let properties = [("plan", PropertyValue.string("pro"))]
        let first = try stage.start("u", Self.scope)
        try stage.record("done", Self.scope, properties)
        let second = try stage.start("u", Self.scope)
        try stage.record("more", Self.scope, properties)
        stage.now = stage.now.adding(milliseconds: 10)
        try await stage.fire()
        for _ in 1...2 {
            let shown = try stage.present(try #require(try stage.offer(Self.scope)).id)
            _ = try stage.answer(shown.id, ["rooms": ["a"], "nps": 1])
            try await stage.commit()
        }
        #expect(try stage.stored().map(\.trigger) == [Properties(properties), Properties(properties)])
        _ = stage.engine.clear(.session(first.identity.id), uid: 1000, now: stage.now, into: &stage.changes)
        try await stage.commit()
        let left = try stage.stored()
        #expect(left.map(\.session) == [second.identity.id, second.identity.id])
        #expect(left.first { $0.origin == first.identity.id }?.trigger.isEmpty ?? false)
        #expect(left.first { $0.origin == second.identity.id }?.trigger == Properties(properties))
    }

    @Test("R1: what was shown in a session outlasts it, with its answers; what still waits stays")
    func sweep() async throws {
        let stage = try StoredStage(
            SurveyConfiguration([Self.survey("a"), Self.survey("b", event: "more", delay: StoredStage.hour)]))
        let session = try stage.start("u", Self.scope)
        try stage.record("done", Self.scope)
        try stage.record("more", Self.scope)
        let shown = try stage.present(try #require(try stage.offer(Self.scope)).id)
        _ = try stage.answer(shown.id, ["rooms": ["a"], "nps": 1])
        _ = try stage.start("u", Self.scope)
        try await stage.commit()
        stage.changes.upkeep = [
            .retire(RetentionPolicy(maxSessionsPerUser: 1), of: .uid(1000), now: stage.now),
            .sweep(sessionRow: session.identity.row, maxBlocks: 100),
        ]
        try await stage.commit()
        let kept = try stage.stored()
        #expect(Set(kept.map(\.survey)) == ["a", "b"])
        #expect(kept.first { $0.survey == "a" }?.answers["rooms"] != nil)
        stage.now = stage.now.adding(milliseconds: StoredStage.hour)
        try await stage.fire()
        #expect(try stage.offer(Self.scope)?.survey == "b")
    }
}
