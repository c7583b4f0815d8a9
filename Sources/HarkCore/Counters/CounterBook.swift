internal import HarkWire

/// The counters of the scopes that have been heard of lately, and the settings about counters and executions.
///
/// As in the `SessionBook`, a scope is loaded on first touch and dropped when there is too much, but never while the store
/// does not know of its newest changes, nor while somebody watches it.
package struct CounterBook: Sendable {
    /// About so many bytes are kept at least; dropping happens at twice that.
    static let capacity = 8 << 20

    package internal(set) var configuration = CounterConfiguration.none
    /// Numbers the runs of the daemon: what a `session` counter was in another run is forgotten.
    package let run: Int64
    /// Whether the store has been told that this run has begun.
    var hasBegunRun = false
    /// How many changes of counters there were; each has its number.
    package internal(set) var revision: UInt64 = 0

    private struct Entry: Sendable {
        var state: CounterState
        var weight: Int
        /// How many of its changes the store has not committed yet.
        var unsettled = 0
    }

    private var entries: [Scope: Entry] = [:]
    private var weight = 0
    private var limit = CounterBook.capacity * 2
    /// The scopes changed since the changes were last handed to the store, once for each change.
    private var touched: [Scope] = []
    /// How many watch a scope.
    private var watchers: [Scope: Int] = [:]
    /// Scopes that are not loaded and whose instance counters the store is still to reset, and how many times.
    private var pendingResets: [Scope: Int] = [:]
    private var untakenResets: [Scope] = []

    init(run: Int64) {
        self.run = run
    }

    package func isLoaded(_ scope: Scope) -> Bool { entries[scope] != nil }

    package func state(of scope: Scope) -> CounterState? { entries[scope]?.state }

    /// Brings in what the store knows of a scope.
    mutating func admit(_ scope: Scope, _ state: CounterState) {
        guard entries[scope] == nil else { return }
        makeRoom()
        var state = state
        if pendingResets[scope] != nil { state.resetInstances() }
        for (name, counter) in state.counters { state.counters[name] = inForce(counter) }
        let weight = state.weight
        entries[scope] = Entry(state: state, weight: weight)
        self.weight += weight
    }

    /// As the settings and the run have it.
    private func inForce(_ counter: Counter) -> Counter {
        guard let declared = configuration.counter(counter.name, in: counter.scope.app) else {
            return counter.asOf(run: run)
        }
        return counter.asOf(run: run).redefined(initial: declared.initial, lifetime: declared.lifetime).asOf(run: run)
    }

    mutating func apply(_ configuration: CounterConfiguration) {
        self.configuration = configuration
        for (scope, entry) in entries {
            var state = entry.state
            state.counters = state.counters.mapValues(inForce)
            state.configured = state.configured.filter { configuration.execution($0.key, in: scope.app) != nil }
            entries[scope]?.state = state
        }
    }

    /// The counter of a name: registered, or of the settings. The scope must be loaded.
    package func counter(_ name: ExactName, in scope: Scope) -> Counter? {
        if let counter = entries[scope]?.state.counters[name] { return counter }
        return configuration.counter(name, in: scope.app).map { Counter($0, in: scope) }
    }

    /// All counters of a loaded scope, by name.
    package func all(in scope: Scope) -> [Counter] {
        let registered = entries[scope]?.state.counters ?? [:]
        let declared = configuration.counters.filter {
            registered[$0.name] == nil && configuration.counter($0.name, in: scope.app) != nil
        }
        return (registered.values + declared.map { Counter($0, in: scope) }).sorted { $0.name < $1.name }
    }

    /// - Parameter changed: the counter whose change is looked at.
    package func holds(_ condition: Condition, in scope: Scope, changed: ExactName? = nil) -> Bool {
        condition.holds(changed: changed?.text) { counter(ExactName($0), in: scope)?.value }
    }

    mutating func put(_ counter: Counter) {
        precondition(isLoaded(counter.scope), "a counter of a scope that was not admitted")
        let before = entries[counter.scope]?.state.counters.updateValue(counter, forKey: counter.name)
        let growth = counter.weight - (before?.weight ?? 0)
        entries[counter.scope]?.weight += growth
        weight += growth
        touch(counter.scope)
    }

    mutating func put(_ state: ExecutionState?, of execution: ExactName, in scope: Scope) {
        precondition(isLoaded(scope), "an execution in a scope that was not admitted")
        entries[scope]?.state.configured[execution] = state
        touch(scope)
    }

    mutating func noteReset(of scope: Scope) {
        pendingResets[scope, default: 0] += 1
        untakenResets.append(scope)
    }

    private mutating func touch(_ scope: Scope) {
        entries[scope]?.unsettled += 1
        touched.append(scope)
    }
}

/// Letting go.
extension CounterBook {
    struct Touched: Sendable {
        let scopes: [Scope]
        let resets: [Scope]
    }

    mutating func takeTouched() -> Touched {
        defer {
            touched.removeAll()
            untakenResets.removeAll()
        }
        return Touched(scopes: touched, resets: untakenResets)
    }

    mutating func settle(_ settled: Touched) {
        for scope in settled.scopes { entries[scope]?.unsettled -= 1 }
        for scope in settled.resets {
            pendingResets[scope, default: 1] -= 1
            if pendingResets[scope] == 0 { pendingResets[scope] = nil }
        }
        limit = CounterBook.capacity * 2
    }

    package mutating func watch(_ scope: Scope) { watchers[scope, default: 0] += 1 }

    package var watchedScopes: [Scope] { Array(watchers.keys) }

    package mutating func unwatch(_ scope: Scope) {
        watchers[scope, default: 1] -= 1
        if watchers[scope] == 0 { watchers[scope] = nil }
    }

    /// What a new engine takes over: settings, the run and who watches, but nothing the store can tell again.
    func restarted() -> CounterBook {
        var book = CounterBook(run: run)
        book.configuration = configuration
        book.revision = revision
        book.watchers = watchers
        return book
    }

    /// Empties the scopes of a uid; nil: all.
    mutating func removeAll(of uid: UInt32?) {
        for scope in Array(entries.keys) where uid == nil || uid == scope.uid {
            weight -= entries[scope]?.weight ?? 0
            entries[scope]?.state = CounterState()
            entries[scope]?.weight = CounterState().weight
            weight += CounterState().weight
            touch(scope)
        }
    }

    /// Lets go of scopes if the store knows all about them.
    mutating func drop(where isMeant: (Scope) -> Bool) {
        for (scope, entry) in entries where entry.unsettled == 0 && isMeant(scope) {
            weight -= entry.weight
            entries[scope] = nil
        }
    }

    private mutating func makeRoom() {
        guard weight >= limit else { return }
        for (scope, entry) in entries where entry.unsettled == 0 && watchers[scope] == nil {
            guard weight > CounterBook.capacity else { break }
            weight -= entry.weight
            entries[scope] = nil
        }
        // While most wait for a commit, it would be in vain to look at all of them again for each newcomer.
        limit = max(weight, CounterBook.capacity) + CounterBook.capacity
    }
}

extension Counter {
    init(_ declared: DeclaredCounter, in scope: Scope) {
        self.init(scope: scope, name: declared.name, initial: declared.initial, lifetime: declared.lifetime)
    }
}

extension JSONValue {
    /// About what it takes in memory.
    var weight: Int {
        switch self {
        case .null, .bool, .int, .double: 0
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(elements.count * 16) { $0 + $1.weight }
        case .object(let object): object.reduce(object.count * 40) { $0 + $1.key.utf8.count + $1.value.weight }
        }
    }
}
