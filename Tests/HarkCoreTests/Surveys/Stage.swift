import HarkWire

@testable import HarkCore

/// An engine on a made-up clock, with a disk that it commits to after each step unless told otherwise.
struct Stage {
    static let uid: UInt32 = 1000
    static let start = Timestamp("2026-11-21T11:00:00Z")!
    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    var engine: Engine
    var changes = Changes()
    var disk = Disk()
    var now = Stage.start
    /// Off: the changes of several steps go to the disk together, with `commit`.
    var commitsEachStep = true

    let source = Source(uid: Stage.uid, pid: 42)
    let scope: Scope

    init(_ surveys: [Survey] = [], globalCooldown: Int64? = nil, app: String = Scope.defaultApp) {
        self.init(SurveyConfiguration(surveys, globalCooldown: globalCooldown), app: app)
    }

    init(_ configuration: SurveyConfiguration, app: String = Scope.defaultApp) {
        scope = Scope(uid: Stage.uid, app: app)
        engine = Engine(watermark: Engine.Watermark())
        configure(configuration)
    }

    // MARK: The store

    mutating func commit() {
        engine.handOver(completing: &changes)
        disk.commit(changes, engine.watermark)
        changes = Changes()
        engine.settle()
    }

    /// Acts like the daemon after its own start, or after a refusal of the store: uncommitted changes are gone.
    mutating func restart(showing kept: Set<Identifier> = []) {
        changes = Changes()
        engine = engine.restarted(at: disk.watermark)
        disk.bring(.eventRules, to: &engine)
        engine.countEvents(into: &changes)
        disk.bring(.shown, to: &engine)
        engine.releaseShown(except: kept, now: now, into: &changes)
        step()
    }

    mutating func step() { if commitsEachStep { commit() } }

    // MARK: Commands

    mutating func configure(_ configuration: SurveyConfiguration) {
        disk.bring(.eventRules, to: &engine)
        engine.configure(configuration, now: now, into: &changes)
        step()
        for user in disk.users(withOpenExceptOf: Set(configuration.surveys.map(\.id))) {
            disk.bring(.user(user), to: &engine)
            engine.cancelGone(of: user, now: now, into: &changes)
        }
        step()
    }

    @discardableResult
    mutating func startSession(_ userId: String?, in scope: Scope? = nil) throws -> Session {
        let scope = scope ?? self.scope
        disk.bring(.countedScope(scope), to: &engine)
        defer { step() }
        return try engine.startSession(scope, userId: userId, source: source, now: now, into: &changes)
    }

    mutating func endSession(in scope: Scope? = nil) {
        let scope = scope ?? self.scope
        disk.bring(.countedScope(scope), to: &engine)
        _ = engine.endSession(scope, source: source, now: now, into: &changes)
        step()
    }

    mutating func record(
        _ name: String, _ properties: [(String, PropertyValue)] = [], in scope: Scope? = nil, userId: String? = nil,
        at timestamp: Timestamp? = nil
    ) throws {
        let scope = scope ?? self.scope
        disk.bring(.recording(name, in: scope, userId: userId), to: &engine)
        _ = try engine.record(
            name, properties: Properties(properties), in: scope, userId: userId, timestamp: timestamp,
            source: source, now: now, into: &changes)
        step()
    }

    /// Lets time pass and carries out all that falls due.
    mutating func pass(_ milliseconds: Int64) {
        let end = now.adding(milliseconds: milliseconds)
        while let due = engine.earliestDue, due <= end {
            now = max(now, due)
            fire()
        }
        now = end
    }

    /// Somebody sets the clock; the timer follows it.
    mutating func setClock(to time: Timestamp) {
        now = time
        if let due = engine.earliestDue, due <= now { fire() }
    }

    mutating func fire() {
        var isMore = true
        while isMore {
            disk.bring(.due(at: now), to: &engine)
            isMore = engine.fire(now: now, into: &changes)
            step()
        }
    }

    mutating func offer(in scope: Scope? = nil) -> Presentation? {
        let scope = scope ?? self.scope
        disk.bring(.offers(in: scope), to: &engine)
        return engine.offer(in: scope, now: now)
    }

    @discardableResult
    mutating func present(
        _ id: Identifier, locale: String? = nil, uid: UInt32? = Stage.uid, on surface: Surface = .app
    ) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.present(
            id, visibleTo: uid, locale: locale, on: surface, source: source, now: now, into: &changes)
    }

    /// Shows the offered survey.
    @discardableResult
    mutating func presentNext(in scope: Scope? = nil, locale: String? = nil) throws -> Presentation? {
        try offer(in: scope).map { try present($0.id, locale: locale) }
    }

    @discardableResult
    mutating func answer(
        _ id: Identifier, option: JSONValue? = nil, text: JSONValue? = nil, answers: JSONObject = JSONObject(),
        uid: UInt32? = Stage.uid
    ) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.answer(
            id, SurveySubmission(option: option, text: text, answers: answers), visibleTo: uid, source: source,
            now: now, into: &changes)
    }

    @discardableResult
    mutating func keep(_ id: Identifier, _ answers: JSONObject) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.keepAnswers(
            id, SurveySubmission(answers: answers), visibleTo: Stage.uid, now: now, into: &changes)
    }

    @discardableResult
    mutating func dismiss(
        _ id: Identifier, for scope: DismissalScope = .once, uid: UInt32? = Stage.uid
    ) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.dismiss(id, for: scope, visibleTo: uid, source: source, now: now, into: &changes)
    }

    @discardableResult
    mutating func dismissForEver(_ id: Identifier, by uid: UInt32 = Stage.uid) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { cancelUnwanted() }
        return try engine.dismiss(
            id, for: .ever, visibleTo: nil, source: Source(uid: uid, pid: 1), now: now, into: &changes)
    }

    /// Sets a person's wish about a survey, or about all (nil).
    @discardableResult
    mutating func wish(
        _ order: Engine.WishOrder, of survey: String? = nil, uid: UInt32 = Stage.uid
    ) throws -> Wish {
        disk.bring(.wishes, to: &engine)
        defer { cancelUnwanted() }
        return try engine.wish(
            order, of: WishKey(uid: uid, survey: survey), source: source, now: now, into: &changes)
    }

    mutating func setQuiet(_ quiet: PersonalQuiet) throws {
        disk.bring(.wishes, to: &engine)
        let held = engine.quietEnd(of: Stage.uid, now: now)
        for presentation in disk.all where presentation.state == .scheduled && presentation.dueAt == held {
            disk.bring(.user(presentation.user), to: &engine)
        }
        engine.setQuiet(quiet, of: Stage.uid, now: now, into: &changes)
        step()
    }

    mutating func remind(_ id: Identifier) -> Presentation? {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return engine.remind(id, now: now, into: &changes)
    }

    /// Acts like the desk before an offer.
    mutating func hold() {
        disk.bring(.offers(in: scope), to: &engine)
        engine.holdWhileQuiet(in: scope, now: now, into: &changes)
        step()
    }

    mutating func takeBackWishes(of survey: String? = nil) -> Int {
        disk.bring(.wishes, to: &engine)
        defer { step() }
        return engine.takeBackWishes(of: Stage.uid, survey: survey, now: now, into: &changes)
    }

    /// Acts like the desk for users that are not in memory.
    private mutating func cancelUnwanted() {
        step()
        for user in disk.usersWithOpen {
            disk.bring(.user(user), to: &engine)
            engine.cancelUnwanted(of: user, now: now, into: &changes)
        }
        step()
    }

    @discardableResult
    mutating func snooze(_ id: Identifier, for milliseconds: Int64) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.snooze(
            id, for: milliseconds, visibleTo: Stage.uid, source: source, now: now, into: &changes)
    }

    @discardableResult
    mutating func expire(_ id: Identifier) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.expire(id, visibleTo: Stage.uid, source: source, now: now, into: &changes)
    }

    @discardableResult
    mutating func release(_ id: Identifier) throws -> Presentation {
        disk.bring(.presentation(id), to: &engine)
        defer { step() }
        return try engine.release(id, visibleTo: Stage.uid, now: now, into: &changes)
    }

    mutating func explain(_ survey: String, to userId: String?) throws -> SurveyExplanation {
        let user = UserKey(uid: Stage.uid, userId: userId)
        disk.bring(.countedScope(scope), to: &engine)
        disk.bring(.user(user), to: &engine)
        return try engine.explain(survey, to: user, in: scope, now: now)
    }

    mutating func clear(_ target: Selection.Target, uid: UInt32? = Stage.uid) {
        _ = engine.clear(target, uid: uid, now: now, into: &changes)
        step()
    }

    // MARK: Looking

    /// All presentations, including uncommitted ones.
    var presentations: [Presentation] {
        var seen = disk
        seen.records = []
        seen.commit(changes, engine.watermark)
        return seen.all
    }

    func presentations(_ state: Presentation.State) -> [Presentation] { presentations.filter { $0.state == state } }

    func gating(_ survey: String, _ userId: String? = nil) -> Gating {
        disk.gating[UserKey(uid: Stage.uid, userId: userId)]?[ExactName(survey)] ?? Gating()
    }

    /// The events of a name, as JSON of their properties.
    func events(_ name: String) -> [JSONObject] {
        (disk.records + changes.records).filter { $0.name == name }.map { record in
            JSONObject(record.properties.members.map { ($0.key, JSONValue($0.value)) })
        }
    }
}
