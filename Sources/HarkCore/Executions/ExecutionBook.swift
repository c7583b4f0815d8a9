/// A cache of executions that were added over the socket, with an index by trigger.
///
/// The listeners of a counter are loaded when that counter first changes, so executions that listen to other counters
/// cost nothing. The names of the events that any execution listens to are in memory, because every event asks for them.
/// Changes that are not committed yet stay in memory and override the rows that the store returns.
package struct ExecutionBook: Sendable {
    /// The greatest number of executions kept, not counting those in a list of listeners or with uncommitted changes;
    /// also the greatest number of listed ones.
    package static let capacity = 8192

    private struct Entry: Sendable {
        /// nil: no execution has this id.
        var execution: AddedExecution?
        /// Changes whenever another execution takes the id, which makes older list entries void.
        var serial: UInt64
    }

    private struct ListKey: Hashable, Sendable {
        let scope: Scope
        let trigger: ExecutionTrigger
    }

    private typealias Place = (id: ExactName, serial: UInt64)

    /// The executions with a trigger, in the order in which they were added, and some that no longer have it.
    private struct Listeners: Sendable {
        var places: [Place] = []
        var mayRaiseSurvey = false
    }

    private var entries = Cache<ExecutionKey, Entry>(capacity: ExecutionBook.capacity)
    /// The weight of a list is the number of its places, and the list holds the entry of each. One execution listens to at most a
    /// hundred counters, whose lists are needed together.
    private var lists = Cache<ListKey, Listeners>(
        capacity: ExecutionBook.capacity, weightCapacity: ExecutionBook.capacity, least: Limits.executionCounters)
    private var lastSerial: UInt64 = 0
    private var unsettled: Set<ExecutionKey> = []
    /// Whether the names of the events were loaded.
    package private(set) var knowsEvents = false
    /// The names of the events that any execution listens to, and some names without a listener.
    private var events: Set<ExactName> = []
    /// The names among them of events that surveys record.
    private(set) var surveyEvents: Set<String> = []

    package init() {}

    /// Whether the book knows if an execution has this id, and which.
    package func isKnown(_ key: ExecutionKey) -> Bool { entries.contains(key) }

    /// Marks an id as used; returns whether it is known.
    mutating func use(_ key: ExecutionKey) -> Bool { entries.use(key) }

    package subscript(key: ExecutionKey) -> AddedExecution? { entries[key]?.execution }

    /// Marks the listeners of a trigger as used; returns whether they are loaded.
    mutating func useListeners(to trigger: ExecutionTrigger, in scope: Scope) -> Bool {
        lists.use(ListKey(scope: scope, trigger: trigger))
    }

    /// The executions with a trigger; they must be loaded.
    mutating func listeners(to trigger: ExecutionTrigger, in scope: Scope) -> [AddedExecution] {
        let key = ListKey(scope: scope, trigger: trigger)
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

    /// The execution in a place of a list; nil if it was removed or another one has its id.
    private func listed(_ place: Place, in scope: Scope) -> AddedExecution? {
        guard let entry = entries[ExecutionKey(scope: scope, id: place.id)], entry.serial == place.serial else {
            return nil
        }
        return entry.execution
    }

    private mutating func letGo(_ place: Place, in scope: Scope) {
        entries.letGo(ExecutionKey(scope: scope, id: place.id))
    }

    /// Whether any listener may raise a survey.
    func mayRaiseSurvey(_ trigger: ExecutionTrigger, in scope: Scope) -> Bool {
        lists[ListKey(scope: scope, trigger: trigger)]?.mayRaiseSurvey ?? false
    }

    /// Whether an execution may listen to events of this name. Called for every event.
    func mayHear(_ event: String) -> Bool { !events.isEmpty && events.contains(ExactName(event)) }

    /// Adds the names of the events that executions in the store listen to.
    mutating func admit(events names: [ExactName]) {
        for name in names { note(event: name) }
        knowsEvents = true
    }

    private mutating func note(event name: ExactName) {
        guard events.insert(name).inserted, SurveyEvents.names.contains(name.text) else { return }
        surveyEvents.insert(name.text)
    }

    /// Adds an execution as the store has it; nil if the store has none.
    mutating func admit(_ key: ExecutionKey, _ execution: AddedExecution?) {
        guard !entries.contains(key) else { return }
        entries.admit(key, Entry(execution: execution, serial: nextSerial()))
    }

    /// Adds the executions that the store lists with a trigger.
    mutating func admit(_ stored: [AddedExecution], listeningTo trigger: ExecutionTrigger, in scope: Scope) {
        let key = ListKey(scope: scope, trigger: trigger)
        guard !lists.contains(key) else { return }
        while let dropped = lists.dropForRoom(of: stored.count) {
            for place in dropped.value.places { letGo(place, in: dropped.key.scope) }
        }
        // Held, so that admitting the last ones does not evict the first.
        for execution in stored {
            admit(execution.key, execution)
            entries.hold(execution.key)
        }
        lists.admit(key, Listeners())
        // Some may have been added, changed or removed since, which the store does not have yet.
        let fresh = unsettled.filter { $0.scope == scope }
        let all = Set(stored.map(\.key)).union(fresh).compactMap { entries[$0]?.execution }
        for execution in all.sorted(by: { ($0.addedAt, $0.key.id) < ($1.addedAt, $1.key.id) }) { join(execution, key) }
        for execution in stored { entries.letGo(execution.key) }
    }

    /// Stores an execution; replaces one with the same id.
    mutating func put(_ execution: AddedExecution) {
        admit(execution.key, nil)
        let serial = nextSerial()
        change(execution.key) { $0 = Entry(execution: execution, serial: serial) }
        for trigger in execution.execution.triggers {
            if trigger.isEvent { note(event: trigger.name) }
            join(execution, ListKey(scope: execution.key.scope, trigger: trigger))
        }
    }

    /// Stores the state of an execution.
    mutating func put(_ state: ExecutionState, of key: ExecutionKey) {
        change(key) { $0.execution?.state = state }
    }

    mutating func remove(_ key: ExecutionKey) {
        change(key) { $0.execution = nil }
    }

    /// Removes all executions of a uid; nil for all users.
    mutating func removeAll(of uid: UInt32?) {
        for key in entries.keys where uid == nil || uid == key.scope.uid { remove(key) }
    }

    private mutating func join(_ execution: AddedExecution, _ key: ListKey) {
        guard let list = lists[key], execution.execution.triggers.contains(key.trigger),
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

/// Handing changes over.
extension ExecutionBook {
    mutating func handOver() { entries.handOver() }

    mutating func settle() {
        for key in entries.settle() { unsettled.remove(key) }
    }
}
