/// The executions that were added over the socket and have been needed lately, by the counters they listen to.
///
/// Who listens to a counter is loaded when that counter first changes: executions that listen elsewhere cost nothing. What
/// was changed and is not committed yet is kept, and wins over what the store tells.
package struct ExecutionBook: Sendable {
    /// So many executions are remembered at least; dropping happens at twice that.
    package static let capacity = 8192

    private struct Entry: Sendable {
        /// nil: there is none of this id, as far as was asked or decided.
        var execution: AddedExecution?
        /// Changes whenever another execution takes the id: what lists say of an older one is void.
        var serial: UInt64
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
    }

    private struct CounterKey: Hashable, Sendable {
        let scope: Scope
        let counter: ExactName
    }

    /// Who listens to a counter, in the order in which they were added; and some who did once.
    private struct Listeners: Sendable {
        var places: [(id: ExactName, serial: UInt64)] = []
        var mayRaiseSurvey = false
    }

    private var entries: [ExecutionKey: Entry] = [:]
    private var listeners: [CounterKey: Listeners] = [:]
    private var lastSerial: UInt64 = 0
    /// The executions changed since the changes were last handed to the store, once for each change.
    private var touched: [ExecutionKey] = []
    private var unsettled: Set<ExecutionKey> = []
    private var limit = ExecutionBook.capacity * 2

    package init() {}

    /// Whether it is known if there is an execution of this id, and which.
    package func isKnown(_ key: ExecutionKey) -> Bool { entries[key] != nil }

    package subscript(key: ExecutionKey) -> AddedExecution? { entries[key]?.execution }

    package func isLoaded(_ counter: ExactName, in scope: Scope) -> Bool {
        listeners[CounterKey(scope: scope, counter: counter)] != nil
    }

    /// Who listens to a counter, which must be loaded.
    mutating func listeners(to counter: ExactName, in scope: Scope) -> [AddedExecution] {
        let key = CounterKey(scope: scope, counter: counter)
        guard let places = listeners[key]?.places, !places.isEmpty else { return [] }
        var found: [AddedExecution] = []
        for place in places {
            guard let entry = entries[ExecutionKey(scope: scope, id: place.id)], entry.serial == place.serial,
                let execution = entry.execution
            else { continue }
            found.append(execution)
        }
        if places.count > 2 * found.count + 16 {
            listeners[key]?.places = found.map { ($0.key.id, entries[$0.key]?.serial ?? 0) }
        }
        return found
    }

    /// Whether one of those who listen to a counter may raise a survey.
    func mayRaiseSurvey(_ counter: ExactName, in scope: Scope) -> Bool {
        listeners[CounterKey(scope: scope, counter: counter)]?.mayRaiseSurvey ?? false
    }

    /// Brings in what the store knows of an id.
    mutating func admit(_ key: ExecutionKey, _ execution: AddedExecution?) {
        guard entries[key] == nil else { return }
        makeRoom()
        entries[key] = Entry(execution: execution, serial: nextSerial())
    }

    /// Brings in whom the store knows to listen to a counter.
    mutating func admit(_ stored: [AddedExecution], listeningTo counter: ExactName, in scope: Scope) {
        let key = CounterKey(scope: scope, counter: counter)
        guard listeners[key] == nil else { return }
        makeRoom()
        for execution in stored where entries[execution.key] == nil {
            entries[execution.key] = Entry(execution: execution, serial: nextSerial())
        }
        // Some may have been added, changed or removed since, and the store not know it yet.
        let fresh = unsettled.filter { $0.scope == scope }
        listeners[key] = Listeners()
        let all = Set(stored.map(\.key)).union(fresh).compactMap { entries[$0]?.execution }
        for execution in all.sorted(by: { ($0.addedAt, $0.key.id) < ($1.addedAt, $1.key.id) }) { join(execution, key) }
    }

    /// Keeps an execution, new or in the place of the one of the same id.
    mutating func put(_ execution: AddedExecution) {
        entries[execution.key] = Entry(
            execution: execution, serial: nextSerial(), unsettled: entries[execution.key]?.unsettled ?? 0)
        for counter in execution.execution.listensTo {
            join(execution, CounterKey(scope: execution.key.scope, counter: counter))
        }
        touch(execution.key)
    }

    /// Keeps how far one has come.
    mutating func put(_ state: ExecutionState, of key: ExecutionKey) {
        entries[key]?.execution?.state = state
        touch(key)
    }

    mutating func remove(_ key: ExecutionKey) {
        precondition(isKnown(key), "an execution that was not admitted")
        entries[key]?.execution = nil
        touch(key)
    }

    /// Forgets all of a uid; nil: of everybody.
    mutating func removeAll(of uid: UInt32?) {
        for key in Array(entries.keys) where uid == nil || uid == key.scope.uid { remove(key) }
    }

    private mutating func join(_ execution: AddedExecution, _ key: CounterKey) {
        guard listeners[key] != nil, execution.execution.listensTo.contains(key.counter),
            let serial = entries[execution.key]?.serial
        else { return }
        listeners[key]?.places.append((execution.key.id, serial))
        if execution.execution.raisesSurvey { listeners[key]?.mayRaiseSurvey = true }
    }

    private mutating func touch(_ key: ExecutionKey) {
        entries[key]?.unsettled += 1
        unsettled.insert(key)
        touched.append(key)
    }

    private mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }
}

/// Letting go.
extension ExecutionBook {
    mutating func takeTouched() -> [ExecutionKey] {
        defer { touched.removeAll() }
        return touched
    }

    mutating func settle(_ keys: [ExecutionKey]) {
        for key in keys {
            entries[key]?.unsettled -= 1
            guard entries[key]?.unsettled == 0 else { continue }
            unsettled.remove(key)
            if entries[key]?.execution == nil { entries[key] = nil }
        }
        limit = ExecutionBook.capacity * 2
    }

    private mutating func makeRoom() {
        guard entries.count >= limit else { return }
        listeners = [:]
        entries = entries.filter { $0.value.unsettled > 0 }
        limit = max(entries.count, ExecutionBook.capacity) + ExecutionBook.capacity
    }
}
