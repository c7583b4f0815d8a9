import HarkCore
import HarkWire

/// Counting on the stage.
extension Stage {
    @discardableResult
    mutating func register(
        _ name: String, _ initial: JSONValue = 0, _ lifetime: CounterLifetime = .app, holder: CounterHolder? = nil,
        in scope: Scope? = nil
    ) throws -> (counter: Counter, isFirst: Bool) {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        defer { step() }
        return try engine.registerCounter(
            name, initial: initial, lifetime: lifetime, holder: holder, in: scope, into: &changes)
    }

    /// A connection or a process of the app has ended.
    mutating func endRun(of holder: CounterHolder, in scope: Scope? = nil) {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        engine.endRun(of: holder, in: scope, into: &changes)
        step()
    }

    /// The ids of what fired.
    @discardableResult
    mutating func trigger(_ name: String, in scope: Scope? = nil) throws -> [String] {
        let scope = scope ?? self.scope
        disk.bring(.change(ofCounter: name, in: scope), to: &engine)
        defer { step() }
        return try engine.triggerCounter(name, in: scope, source: source, now: now, into: &changes).fired.map(\.text)
    }

    @discardableResult
    mutating func set(_ name: String, _ value: JSONValue, in scope: Scope? = nil) throws -> [String] {
        let scope = scope ?? self.scope
        disk.bring(.change(ofCounter: name, in: scope), to: &engine)
        defer { step() }
        return try engine.setCounter(name, to: value, in: scope, source: source, now: now, into: &changes)
            .fired.map(\.text)
    }

    mutating func value(_ name: String, in scope: Scope? = nil) -> JSONValue? {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        return engine.counters.counter(ExactName(name), in: scope)?.value
    }

    mutating func values(in scope: Scope? = nil) -> [String: JSONValue] {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        return Dictionary(uniqueKeysWithValues: engine.counters.all(in: scope).map { ($0.name.text, $0.value) })
    }

    @discardableResult
    mutating func reset(_ name: String? = nil, in scope: Scope? = nil) throws -> Int {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        defer { step() }
        return try engine.resetCounters(name, in: scope, into: &changes)
    }

    @discardableResult
    mutating func background(_ scope: Scope? = nil) throws -> Int {
        let scope = scope ?? self.scope
        disk.bring(.counters(of: scope), to: &engine)
        defer { step() }
        return try engine.background(scope, into: &changes)
    }

    // MARK: Executions

    @discardableResult
    mutating func add(_ execution: Execution, in scope: Scope? = nil) throws -> Engine.ExecutionAdded {
        let scope = scope ?? self.scope
        let need: Need = .execution(
            execution.id, listensTo: execution.triggers, raisesSurvey: execution.raisesSurvey, in: scope)
        disk.bring(need, to: &engine)
        defer { step() }
        return try engine.addExecution(execution, in: scope, source: source, now: now, into: &changes)
    }

    mutating func remove(_ id: String, in scope: Scope? = nil) throws {
        let scope = scope ?? self.scope
        disk.bring(.execution(ExactName(id), in: scope), to: &engine)
        defer { step() }
        try engine.removeExecution(id, in: scope, now: now, into: &changes)
    }

    mutating func configure(_ configuration: CounterConfiguration) {
        engine.configure(configuration, now: now, into: &changes)
        step()
    }

    mutating func validate(_ ids: [String], in scope: Scope? = nil) {
        let scope = scope ?? self.scope
        for id in ids { disk.bring(.execution(ExactName(id), raisesSurvey: true, in: scope), to: &engine) }
        engine.validate(ids.map(ExactName.init), in: scope, source: source, now: now, into: &changes)
        step()
    }

    mutating func begin(_ run: ExecutionRun) {
        _ = engine.startRun(run, now: now, into: &changes)
        step()
    }

    mutating func end(_ run: ExecutionRun, _ state: ExecutionRun.State = .done) {
        disk.bring(.execution(run.key.id, in: run.key.scope), to: &engine)
        engine.endRun(run, state, now: now, into: &changes)
        step()
    }

    /// The daemon ends and another starts: uncommitted changes are gone, and another run begins.
    mutating func startDaemonAnew() {
        let (surveys, counters) = (engine.surveys.configuration, engine.counters.configuration)
        changes = Changes()
        engine = Engine(watermark: disk.watermark, run: disk.counters.lastRun + 1)
        configure(surveys)
        configure(counters)
    }

    /// Everything that came of executions, oldest first; committed.
    var runs: [ExecutionRun] { disk.counters.runs }

    func runs(_ state: ExecutionRun.State) -> [ExecutionRun] { runs.filter { $0.state == state } }

    /// The ids of the executions that were added and are still there; committed.
    var added: [String] { disk.counters.executions.map(\.key.id.text) }
}

extension Execution {
    /// An execution that tells its subscribers.
    static func sample(
        _ id: String = "x", _ listensTo: String..., when condition: Condition = .always, run action: Action = .notify,
        keepAlive: Bool = false, validateImmediately: Bool = false
    ) -> Execution {
        Execution(
            id: ExactName(id), listensTo: listensTo.map(ExactName.init), condition: condition, action: action,
            keepAlive: keepAlive, validateImmediately: validateImmediately)
    }

    static let program = Action.exec(["true"], timeoutSeconds: 60)
}

extension Condition {
    static func atLeast(_ name: String, _ number: Int64) -> Condition { .value(name, Matcher(.gte, .int(number))) }
    static func equal(_ name: String, _ value: JSONValue) -> Condition { .value(name, Matcher(.eq, value)) }
}
