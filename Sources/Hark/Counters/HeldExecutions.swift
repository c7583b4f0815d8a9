/// Code that waits for a condition.
struct Execution: Sendable {
    let id: String
    let names: [String]
    let keepAlive: Bool
    /// Receives the counter that changed; nil when validated immediately.
    let condition: @Sendable (String?, CounterValues) -> Bool
    let perform: @Sendable (String?, CounterValues) async -> Void
}

/// The executions by the counters they listen to, and the values known so far.
struct HeldExecutions: Sendable {
    /// An action to perform outside of the lock.
    typealias Run = @Sendable () -> Void

    private var executions: [String: Execution] = [:]
    private var listeners: [String: [String]] = [:]
    private var values: CounterValues?
    /// Executions to evaluate as soon as the values are known.
    private var unvalidated: [String] = []

    /// The state of changes that this program made before the values were known. The first values may or may not
    /// include such a change, and only if they do is there something to evaluate.
    private var first: (values: CounterValues, revision: Int64)?
    private var unanswered = 0
    private var answered: [(change: EarlyChange, revision: Int64)] = []
    private var looked: Set<EarlyLook> = []

    var ids: [String] { executions.keys.sorted() }

    mutating func add(_ execution: Execution, validate: Bool) -> [Run] {
        remove(execution.id)
        executions[execution.id] = execution
        for name in Set(execution.names) { listeners[name, default: []].append(execution.id) }
        guard validate else { return [] }
        guard let values else {
            unvalidated.append(execution.id)
            return []
        }
        return look(at: [execution.id], values, changed: nil)
    }

    /// Notes that this program is about to change a counter; nil if its executions learn of it as of any other change.
    mutating func announce(_ name: String) -> EarlyChange? {
        guard values == nil, let ids = listeners[name], !ids.isEmpty else { return nil }
        unanswered += 1
        return EarlyChange(name: name, ids: ids)
    }

    /// Notes that the daemon made the change, with its revision; nil if it did not, or if that is unknown.
    mutating func answer(_ change: EarlyChange, revision: Int64?) -> [Run] {
        unanswered -= 1
        if let revision { answered.append((change, revision)) }
        return values == nil ? [] : lookAtEarlyChanges()
    }

    /// Evaluates the changes that the first values already include. The others are notified separately.
    private mutating func lookAtEarlyChanges() -> [Run] {
        var due: [Run] = []
        if let first {
            for (change, revision) in answered where revision <= first.revision {
                // Several changes of a counter appear as one in the first values.
                let ids = change.ids.filter { looked.insert(EarlyLook(name: change.name, id: $0)).inserted }
                due += look(at: ids, first.values, changed: change.name)
            }
        }
        answered = []
        if unanswered == 0 { forgetEarlyChanges() }
        return due
    }

    private mutating func forgetEarlyChanges() {
        first = nil
        answered = []
        looked = []
    }

    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let execution = executions.removeValue(forKey: id) else { return false }
        for name in Set(execution.names) { listeners[name]?.removeAll { $0 == id } }
        unvalidated.removeAll { $0 == id }
        return true
    }

    /// Applies an update of the daemon. Returns the code to run.
    mutating func take(_ update: CounterUpdate) -> [Run] {
        switch update {
        case .all(let all, let initial, let revision):
            let values = CounterValues(values: all)
            defer { self.values = values }
            let ids = unvalidated
            unvalidated = []
            var due = look(at: ids, values, changed: nil)
            guard let old = self.values?.values else {
                first = (values, revision)
                return due + lookAtEarlyChanges()
            }
            forgetEarlyChanges()
            // After a reconnection, values that differ count as changed now. A counter at its initial value was reset,
            // usually by a restart of the daemon, and a reset is not evaluated.
            let changed = all.filter { old[$0.key] != $0.value && !initial.contains($0.key) }
            for name in changed.keys.sorted() {
                due += look(at: listeners[name] ?? [], values, changed: name)
            }
            return due
        case .changed(let name, let value, let isTrigger):
            var all = values?.values ?? [:]
            all[name] = value
            let values = CounterValues(values: all)
            self.values = values
            return isTrigger ? look(at: listeners[name] ?? [], values, changed: name) : []
        }
    }

    private mutating func look(at ids: [String], _ values: CounterValues, changed name: String?) -> [Run] {
        var due: [Run] = []
        for id in ids {
            guard let execution = executions[id], execution.condition(name, values) else { continue }
            // Removed before it runs, so that its own triggers do not run it again.
            if !execution.keepAlive { remove(id) }
            due.append { Task { await execution.perform(name, values) } }
        }
        return due
    }
}

/// A change of a counter that this program made before the values were known, and the executions that listened then.
struct EarlyChange: Sendable {
    let name: String
    let ids: [String]
}

private struct EarlyLook: Hashable {
    let name: String
    let id: String
}

/// An update of counters from the daemon.
enum CounterUpdate: Sendable {
    /// All counters, the names of those with their initial value, and the number of the last change included.
    case all([String: Value], initial: Set<String>, revision: Int64)
    /// `isTrigger` is false for a reset, which is not evaluated.
    case changed(String, Value, isTrigger: Bool)
}
