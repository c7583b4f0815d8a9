/// The executions that were added over the socket and have been needed lately, by the counters they listen to.
///
/// Who listens to a counter is loaded when that counter first changes: executions that listen elsewhere cost nothing. What
/// was changed and is not committed yet is kept, and wins over what the store tells.
package struct ExecutionBook: Sendable {
    /// So many executions are remembered, beside those that are listed or whose changes the store does not know yet; and so
    /// many listed ones.
    package static let capacity = 8192

    private struct Entry: Sendable {
        /// nil: there is none of this id, as far as was asked or decided.
        var execution: AddedExecution?
        /// Changes whenever another execution takes the id: what lists say of an older one is void.
        var serial: UInt64
    }

    private struct CounterKey: Hashable, Sendable {
        let scope: Scope
        let counter: ExactName
    }

    private typealias Place = (id: ExactName, serial: UInt64)

    /// Who listens to a counter, in the order in which they were added; and some who did once.
    private struct Listeners: Sendable {
        var places: [Place] = []
        var mayRaiseSurvey = false
    }

    private var entries = Cache<ExecutionKey, Entry>(capacity: ExecutionBook.capacity)
    /// They weigh as much as they list, and each holds the entry of each of its places. An execution listens to a hundred
    /// counters at most, which are needed together.
    private var lists = Cache<CounterKey, Listeners>(
        capacity: ExecutionBook.capacity, weightCapacity: ExecutionBook.capacity, least: Limits.executionCounters)
    private var lastSerial: UInt64 = 0
    private var unsettled: Set<ExecutionKey> = []

    package init() {}

    /// Whether it is known if there is an execution of this id, and which.
    package func isKnown(_ key: ExecutionKey) -> Bool { entries.contains(key) }

    /// The same; if it is, what follows finds it.
    mutating func use(_ key: ExecutionKey) -> Bool { entries.use(key) }

    package subscript(key: ExecutionKey) -> AddedExecution? { entries[key]?.execution }

    /// Whether it is known who listens to a counter; if so, what follows finds them.
    mutating func useListeners(to counter: ExactName, in scope: Scope) -> Bool {
        lists.use(CounterKey(scope: scope, counter: counter))
    }

    /// Who listens to a counter, which must be loaded.
    mutating func listeners(to counter: ExactName, in scope: Scope) -> [AddedExecution] {
        let key = CounterKey(scope: scope, counter: counter)
        guard let places = lists[key]?.places, !places.isEmpty else { return [] }
        let found = places.compactMap { listed($0, in: scope) }
        if places.count > 2 * found.count + 16 {
            for place in places where listed(place, in: scope) == nil { letGo(place, in: scope) }
            let left = places.filter { listed($0, in: scope) != nil }
            lists.adjust(key) { $0.places = left }
            lists.setWeight(left.count, of: key)
        }
        return found
    }

    /// What is in a place of a list, unless something else has taken its id or it is gone.
    private func listed(_ place: Place, in scope: Scope) -> AddedExecution? {
        guard let entry = entries[ExecutionKey(scope: scope, id: place.id)], entry.serial == place.serial else {
            return nil
        }
        return entry.execution
    }

    private mutating func letGo(_ place: Place, in scope: Scope) {
        entries.letGo(ExecutionKey(scope: scope, id: place.id))
    }

    /// Whether one of those who listen to a counter may raise a survey.
    func mayRaiseSurvey(_ counter: ExactName, in scope: Scope) -> Bool {
        lists[CounterKey(scope: scope, counter: counter)]?.mayRaiseSurvey ?? false
    }

    /// Brings in what the store knows of an id.
    mutating func admit(_ key: ExecutionKey, _ execution: AddedExecution?) {
        guard !entries.contains(key) else { return }
        entries.admit(key, Entry(execution: execution, serial: nextSerial()))
    }

    /// Brings in whom the store knows to listen to a counter.
    mutating func admit(_ stored: [AddedExecution], listeningTo counter: ExactName, in scope: Scope) {
        let key = CounterKey(scope: scope, counter: counter)
        guard !lists.contains(key) else { return }
        while let dropped = lists.dropForRoom(of: stored.count) {
            for place in dropped.value.places { letGo(place, in: dropped.key.scope) }
        }
        // Those that come first must not go for the last of them.
        for execution in stored {
            admit(execution.key, execution)
            entries.hold(execution.key)
        }
        lists.admit(key, Listeners())
        // Some may have been added, changed or removed since, and the store not know it yet.
        let fresh = unsettled.filter { $0.scope == scope }
        let all = Set(stored.map(\.key)).union(fresh).compactMap { entries[$0]?.execution }
        for execution in all.sorted(by: { ($0.addedAt, $0.key.id) < ($1.addedAt, $1.key.id) }) { join(execution, key) }
        for execution in stored { entries.letGo(execution.key) }
    }

    /// Keeps an execution, new or in the place of the one of the same id.
    mutating func put(_ execution: AddedExecution) {
        admit(execution.key, nil)
        let serial = nextSerial()
        change(execution.key) { $0 = Entry(execution: execution, serial: serial) }
        for counter in execution.execution.listensTo {
            join(execution, CounterKey(scope: execution.key.scope, counter: counter))
        }
    }

    /// Keeps how far one has come.
    mutating func put(_ state: ExecutionState, of key: ExecutionKey) {
        change(key) { $0.execution?.state = state }
    }

    mutating func remove(_ key: ExecutionKey) {
        change(key) { $0.execution = nil }
    }

    /// Forgets all of a uid; nil: of everybody.
    mutating func removeAll(of uid: UInt32?) {
        for key in entries.keys where uid == nil || uid == key.scope.uid { remove(key) }
    }

    private mutating func join(_ execution: AddedExecution, _ key: CounterKey) {
        guard let list = lists[key], execution.execution.listensTo.contains(key.counter),
            let serial = entries[execution.key]?.serial
        else { return }
        lists.adjust(key) {
            $0.places.append((execution.key.id, serial))
            if execution.execution.raisesSurvey { $0.mayRaiseSurvey = true }
        }
        lists.setWeight(list.places.count + 1, of: key)
        entries.hold(execution.key)
    }

    private mutating func change(_ key: ExecutionKey, _ body: (inout Entry) -> Void) {
        entries.change(key, body)
        unsettled.insert(key)
    }

    private mutating func nextSerial() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }
}

/// Letting go.
extension ExecutionBook {
    mutating func handOver() { entries.handOver() }

    mutating func settle() {
        for key in entries.settle() { unsettled.remove(key) }
    }
}
