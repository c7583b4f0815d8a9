package import HarkWire

/// Commands for executions: add, remove, validate, fire.
extension Engine {
    /// The result of adding an execution.
    package struct ExecutionAdded: Sendable, Equatable {
        package let isReplacement: Bool
        /// Whether it was validated immediately and fired.
        package let hasFired: Bool
    }

    /// Adds an execution to a scope; replaces one with the same id.
    package mutating func addExecution(
        _ execution: Execution, in scope: Scope, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> ExecutionAdded {
        try Limits.check(app: scope.app)
        let key = ExecutionKey(scope: scope, id: execution.id)
        guard counters.configuration.execution(execution.id, in: scope.app) == nil else {
            throw Engine.isConfigured(execution.id)
        }
        if case .survey(let id) = execution.action, surveys.configuration.survey(id) == nil {
            throw WireError(
                .notFound, "there is no survey '\(id)' in the configuration (survey.list lists them)",
                path: "run.survey")
        }
        try checkWeight(of: execution, in: scope)
        let before = executions[key]
        var added = AddedExecution(key: key, execution: execution, addedAt: now)
        added.state.pending = before?.state.pending ?? 0
        let growth = added.size - (before?.size ?? Amount())
        try checkRoom(for: growth, .executions, of: scope.uid, paths: ("id", "id"))
        hold(growth, .executions, of: scope.uid)
        executions.put(added)
        changes.rows.append(.counters(.putExecution(added)))
        let fires = execution.validateImmediately && counters.holds(execution.condition, in: scope)
        if fires { fire(added, counter: nil, source: source, now: now, into: &changes) }
        return ExecutionAdded(isReplacement: before != nil, hasFired: fires)
    }

    /// Checks the weight on each counter; the executions that listen to its counters must have been admitted.
    private mutating func checkWeight(of execution: Execution, in scope: Scope) throws(WireError) {
        let weight = execution.weight
        for trigger in execution.triggers {
            let others = executions.listeners(to: trigger, in: scope).filter { $0.key.id != execution.id }
            let sum = others.reduce(weight) { $0 + $1.execution.weight }
            guard sum > Limits.weightPerCounter else { continue }
            throw WireError(
                .tooLarge,
                "the \(others.count) executions of app '\(scope.app)' that listen to '\(trigger.name)' would weigh \(sum) with this "
                    + "one, where \(Limits.weightPerCounter) is the most: remove some (execution.list), or let them listen to "
                    + "\(trigger.isEvent ? "events" : "counters") of their own",
                path: trigger.isEvent ? "on" : "listensTo")
        }
    }

    /// Removes an execution. Waiting runs are cancelled; a run in progress continues.
    package mutating func removeExecution(
        _ id: String, in scope: Scope, now: Timestamp, into changes: inout Changes
    ) throws(WireError) {
        let key = ExecutionKey(scope: scope, id: ExactName(id))
        guard executions[key] != nil else {
            if counters.configuration.execution(key.id, in: scope.app) != nil { throw Engine.isConfigured(key.id) }
            throw WireError(
                .notFound, "app '\(scope.app)' has no execution '\(id)' (execution.list lists them)", path: "id")
        }
        remove(key, into: &changes)
        forget([.runs], of: scope.uid)
        changes.rows.append(.counters(.cancelRuns(key, at: now)))
    }

    /// Applies the counters and executions of the settings in place of the earlier ones.
    package mutating func configure(
        _ configuration: CounterConfiguration, now: Timestamp, into changes: inout Changes
    ) {
        counters.apply(configuration)
        forget([.runs], of: nil)
        changes.rows.append(.counters(.keepConfigured(configuration.executions.map(\.id), at: now)))
    }

    /// Tests executions of the settings without a counter change.
    package mutating func validate(
        _ ids: [ExactName], in scope: Scope, source: Source, now: Timestamp, into changes: inout Changes
    ) {
        for id in ids {
            guard let execution = counters.configuration.execution(id, in: scope.app) else { continue }
            fireConfigured(execution, in: scope, counter: nil, source: source, now: now, into: &changes)
        }
    }

    /// Fires the executions that listen to a changed counter and whose condition holds: those of the settings, then the others in
    /// the order in which they were added.
    mutating func fireListeners(
        to counter: Counter, source: Source, now: Timestamp, into changes: inout Changes
    ) -> [ExactName] {
        var fired: [ExactName] = []
        let scope = counter.scope
        for execution in counters.configuration.listeners(to: .counter(counter.name), in: scope.app)
        where fireConfigured(execution, in: scope, counter: counter, source: source, now: now, into: &changes) {
            fired.append(execution.id)
        }
        for added in executions.listeners(to: .counter(counter.name), in: scope)
        where counters.holds(added.execution.condition, in: scope, changed: counter.name) {
            fire(added, counter: counter, source: source, now: now, into: &changes)
            fired.append(added.key.id)
        }
        return fired
    }

    /// Fires the executions that listen to a recorded event and whose conditions hold, in the same order.
    mutating func fireListeners(
        to event: String, _ properties: Properties, _ recorded: Recorded, of session: SessionIdentity,
        in scope: Scope? = nil, at: Timestamp? = nil, depth: Int = 0, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        guard mayHear(event) else { return }
        let scope = scope ?? session.scope
        let trigger = ExecutionTrigger.event(ExactName(event))
        let configured = counters.configuration.listeners(to: trigger, in: scope.app)
        let added = executions.listeners(to: trigger, in: scope)
        let comparisons = (configured + added.map(\.execution)).reduce(0) {
            $0 + ($1.event?.condition.comparisons ?? 0)
        }
        let values = properties.lookup(times: comparisons)
        let told = ExecutionEvent(event, properties, recorded, at: at ?? now, of: session)
        let cause = Cause(event: told, session: session.row, depth: depth)
        for execution in configured where execution.event?.condition.holds(values) ?? false {
            fireConfigured(execution, in: scope, counter: nil, cause, source: source, now: now, into: &changes)
        }
        for added in added
        where added.execution.event?.condition.holds(values) ?? false
            && counters.holds(added.execution.condition, in: scope)
        {
            fire(added, counter: nil, cause, source: source, now: now, into: &changes)
        }
    }

    /// The event that an execution fires for.
    struct Cause {
        let event: ExecutionEvent
        /// The row of its session.
        let session: Int64
        /// The number of surveys that triggered each other up to here.
        let depth: Int
    }

    @discardableResult
    private mutating func fireConfigured(
        _ execution: Execution, in scope: Scope, counter: Counter?, _ cause: Cause? = nil, source: Source,
        now: Timestamp, into changes: inout Changes
    ) -> Bool {
        var state = counters.state(of: scope)?.configured[execution.id] ?? ExecutionState()
        guard execution.keepAlive || state.fired == 0,
            counters.holds(execution.condition, in: scope, changed: counter?.name)
        else { return false }
        let key = ExecutionKey(scope: scope, id: execution.id)
        run(execution, key, &state, isConfigured: true, counter, cause, source: source, now: now, into: &changes)
        put(state, ofConfigured: key, into: &changes)
        return true
    }

    private mutating func fire(
        _ added: AddedExecution, counter: Counter?, _ cause: Cause? = nil, source: Source, now: Timestamp,
        into changes: inout Changes
    ) {
        var state = added.state
        if added.execution.keepAlive {
            run(
                added.execution, added.key, &state, isConfigured: false, counter, cause, source: source, now: now,
                into: &changes)
            put(state, of: added.key, into: &changes)
        } else {
            remove(added.key, into: &changes)
            run(
                added.execution, added.key, &state, isConfigured: false, counter, cause, source: source, now: now,
                into: &changes)
        }
    }

    private mutating func remove(_ key: ExecutionKey, into changes: inout Changes) {
        if let size = executions[key]?.size { hold(Amount() - size, .executions, of: key.scope.uid) }
        executions.remove(key)
        changes.rows.append(.counters(.removeExecution(key)))
    }

    private static func isConfigured(_ id: ExactName) -> WireError {
        WireError(
            .conflict,
            "the execution '\(id)' stands in harkd.json; change it there and reload (daemon.reload), or take another id",
            path: "id")
    }
}
