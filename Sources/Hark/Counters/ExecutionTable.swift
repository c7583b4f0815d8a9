/// Code that waits for a condition.
struct Execution: Sendable {
    let id: String
    let names: [String]
    let keepAlive: Bool
    let condition: @Sendable (CounterValues) -> Bool
    let perform: @Sendable (String?, CounterValues) async -> Void
}

/// The executions by the counters they listen to, and the values as far as they are known.
struct ExecutionTable: Sendable {
    /// Something to be done, outside of the lock.
    typealias Run = @Sendable () -> Void

    private var executions: [String: Execution] = [:]
    private var listeners: [String: [String]] = [:]
    private var values: CounterValues?
    /// Counters this program has changed before the values were known: the first values may be those from after it.
    private var touched: Set<String> = []
    /// To be looked at as soon as the values are known.
    private var unvalidated: [String] = []

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

    /// This program is about to change a counter.
    mutating func note(_ name: String) {
        if values == nil, listeners[name]?.isEmpty == false { touched.insert(name) }
    }

    @discardableResult
    mutating func remove(_ id: String) -> Bool {
        guard let execution = executions.removeValue(forKey: id) else { return false }
        for name in Set(execution.names) { listeners[name]?.removeAll { $0 == id } }
        return true
    }

    /// Takes over what the daemon tells; returns what has to be run.
    mutating func take(_ update: CounterUpdate) -> [Run] {
        switch update {
        case .all(let values):
            let old = self.values?.values
            self.values = CounterValues(values: values)
            defer { unvalidated = [] }
            var due = look(at: unvalidated, CounterValues(values: values), changed: nil)
            for name in touched.sorted() {
                due += look(at: listeners[name] ?? [], CounterValues(values: values), changed: name)
            }
            touched = []
            // After a time without a connection, what has changed meanwhile counts as changed now.
            for (name, value) in values.sorted(by: { $0.key < $1.key }) where old != nil && old?[name] != value {
                due += look(at: listeners[name] ?? [], CounterValues(values: values), changed: name)
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
            guard let execution = executions[id], execution.condition(values) else { continue }
            // Out before it runs: what it triggers itself does not run it again.
            if !execution.keepAlive { remove(id) }
            due.append { Task { await execution.perform(name, values) } }
        }
        return due
    }
}

/// What the daemon tells about counters.
enum CounterUpdate: Sendable {
    case all([String: Value])
    /// `isTrigger` is false for a reset, which nothing listens to.
    case changed(String, Value, isTrigger: Bool)
}
