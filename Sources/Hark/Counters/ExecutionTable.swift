/// Code that waits for a condition.
struct Execution: Sendable {
    let id: String
    let names: [String]
    let keepAlive: Bool
    /// Gets the counter that changed; nil when it is validated immediately.
    let condition: @Sendable (String?, CounterValues) -> Bool
    let perform: @Sendable (String?, CounterValues) async -> Void
}

/// The executions by the counters they listen to, and the values as far as they are known.
struct ExecutionTable: Sendable {
    /// Something to be done, outside of the lock.
    typealias Run = @Sendable () -> Void

    private var executions: [String: Execution] = [:]
    private var listeners: [String: [String]] = [:]
    private var values: CounterValues?
    /// To be looked at as soon as the values are known.
    private var unvalidated: [String] = []

    /// What is left to find out about changes this program has made before the values were known: the first values may
    /// be those from before a change or those from after it, and only from after it there is something to look at.
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

    /// This program is about to change a counter. Nil: what listens hears of it as of every other change.
    mutating func announce(_ name: String) -> EarlyChange? {
        guard values == nil, let ids = listeners[name], !ids.isEmpty else { return nil }
        unanswered += 1
        return EarlyChange(name: name, ids: ids)
    }

    /// The daemon has made the change, as this revision; nil: it has not, or nobody knows.
    mutating func answer(_ change: EarlyChange, revision: Int64?) -> [Run] {
        unanswered -= 1
        if let revision { answered.append((change, revision)) }
        return values == nil ? [] : lookAtEarlyChanges()
    }

    /// Looks at the changes that the first values held already. The others are told, or were.
    private mutating func lookAtEarlyChanges() -> [Run] {
        var due: [Run] = []
        if let first {
            for (change, revision) in answered where revision <= first.revision {
                // Several changes of one counter are one in the first values.
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

    /// Takes over what the daemon tells; returns what has to be run.
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
            // After a time without a connection, what has changed meanwhile counts as changed now. Back at its initial
            // value it was reset, by the restart of the daemon as a rule, and nobody looks at that.
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
            // Out before it runs: what it triggers itself does not run it again.
            if !execution.keepAlive { remove(id) }
            due.append { Task { await execution.perform(name, values) } }
        }
        return due
    }
}

/// A change of a counter that this program has made before it knew the values, and who listened then.
struct EarlyChange: Sendable {
    let name: String
    let ids: [String]
}

private struct EarlyLook: Hashable {
    let name: String
    let id: String
}

/// What the daemon tells about counters.
enum CounterUpdate: Sendable {
    /// All of them, which of them have their initial value, and the number of the last change that is in it.
    case all([String: Value], initial: Set<String>, revision: Int64)
    /// `isTrigger` is false for a reset, which nothing listens to.
    case changed(String, Value, isTrigger: Bool)
}
