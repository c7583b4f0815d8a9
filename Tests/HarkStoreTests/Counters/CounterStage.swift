import HarkCore
import HarkWire

@testable import HarkStore

/// An engine that counts on a real store.
final class CounterStage {
    static let start = Timestamp("2026-11-21T11:00:00Z")!

    let store: StoreUnderTest
    var engine: Engine
    var changes = Changes()
    var now = CounterStage.start
    let scope = Scope(uid: 1000)
    private let source = Source(uid: 1000, pid: 1)

    init() throws {
        store = try StoreUnderTest()
        engine = Engine(watermark: Engine.Watermark())
    }

    func commit() throws {
        engine.handOver(completing: &changes)
        store.watermark = engine.watermark
        try store.commit(changes)
        changes = Changes()
        engine.settle()
    }

    /// A new engine that has to learn everything from the file, in the same run of the daemon.
    func forget() { engine = engine.restarted(at: engine.watermark) }

    /// The daemon ends and another starts.
    func startAnew() throws {
        try store.reopen()
        let settings = engine.counters.configuration
        engine = Engine(watermark: try store.writer.watermark(), run: try store.writer.lastRun() + 1)
        engine.configure(settings, now: now, into: &changes)
        try commit()
    }

    func register(
        _ name: String, _ initial: JSONValue = 0, _ lifetime: CounterLifetime = .app, in scope: Scope? = nil
    ) throws {
        let scope = scope ?? self.scope
        try store.reader.bring(.counters(of: scope), to: &engine)
        _ = try engine.registerCounter(name, initial: initial, lifetime: lifetime, in: scope, into: &changes)
        try commit()
    }

    @discardableResult
    func trigger(_ name: String, in scope: Scope? = nil) throws -> [String] {
        let scope = scope ?? self.scope
        try store.reader.bring(.change(ofCounter: name, in: scope), to: &engine)
        let change = try engine.triggerCounter(name, in: scope, source: source, now: now, into: &changes)
        try commit()
        return change.fired.map(\.text)
    }

    @discardableResult
    func set(_ name: String, _ value: JSONValue, in scope: Scope? = nil) throws -> [String] {
        let scope = scope ?? self.scope
        try store.reader.bring(.change(ofCounter: name, in: scope), to: &engine)
        let change = try engine.setCounter(name, to: value, in: scope, source: source, now: now, into: &changes)
        try commit()
        return change.fired.map(\.text)
    }

    func values(in scope: Scope? = nil) throws -> [String: JSONValue] {
        let scope = scope ?? self.scope
        try store.reader.bring(.counters(of: scope), to: &engine)
        return Dictionary(uniqueKeysWithValues: engine.counters.all(in: scope).map { ($0.name.text, $0.value) })
    }

    func add(
        _ id: String, _ listensTo: String..., when condition: Condition = .always,
        run action: Execution.Action = .notify, keepAlive: Bool = true, in scope: Scope? = nil
    ) throws {
        let scope = scope ?? self.scope
        let execution = Execution(
            id: ExactName(id), listensTo: listensTo.map(ExactName.init), condition: condition, action: action,
            keepAlive: keepAlive)
        now = now.adding(milliseconds: 1)
        try store.reader.bring(.execution(execution.id, in: scope), to: &engine)
        _ = try engine.addExecution(execution, in: scope, source: source, now: now, into: &changes)
        try commit()
    }

    func remove(_ id: String, in scope: Scope? = nil) throws {
        let scope = scope ?? self.scope
        try store.reader.bring(.execution(ExactName(id), in: scope), to: &engine)
        try engine.removeExecution(id, in: scope, now: now, into: &changes)
        try commit()
    }

    func startSession(_ user: String?, in scope: Scope? = nil) throws {
        let scope = scope ?? self.scope
        load(scope)
        _ = try engine.startSession(scope, userId: user, source: source, now: now, into: &changes)
        try commit()
    }

    func endSession(in scope: Scope? = nil) throws {
        let scope = scope ?? self.scope
        load(scope)
        _ = engine.endSession(scope, source: source, now: now, into: &changes)
        try commit()
    }

    private func load(_ scope: Scope) {
        guard !engine.sessions.isLoaded(scope) else { return }
        engine.admit(scope, current: try? store.reader.currentSession(of: scope))
    }

    func clear(_ target: Selection.Target, uid: UInt32? = nil) throws {
        _ = engine.clear(target, uid: uid, now: now, into: &changes)
        try commit()
    }

    func configure(_ executions: Execution...) throws {
        engine.configure(CounterConfiguration(executions: executions), now: now, into: &changes)
        try commit()
    }

    func begin(_ run: ExecutionRun) throws -> ExecutionRun {
        let begun = engine.startRun(run, now: now, into: &changes)
        try commit()
        return begun
    }

    func end(_ run: ExecutionRun, _ state: ExecutionRun.State = .done, note: String? = nil) throws {
        try store.reader.bring(.execution(run.key.id, in: run.key.scope), to: &engine)
        engine.endRun(run, state, note: note, now: now, into: &changes)
        try commit()
    }

    /// Runs as the store lists them, newest first.
    func runs(_ limit: Int = 1_000) throws -> [ExecutionRun] { try store.reader.runs(ExecutionQuery(limit: limit)) }

    var due: [ExecutionRun] { get throws { try store.reader.dueRuns(after: .first, limit: 10_000) } }

    func executions() throws -> [AddedExecution] { try store.reader.executions(ExecutionQuery(limit: 1_000)).found }
}
