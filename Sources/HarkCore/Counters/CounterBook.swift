internal import HarkWire

/// The counters of the scopes that have been heard of lately, and the settings about counters and executions.
///
/// A scope that somebody watches is held.
package struct CounterBook: Sendable {
    /// About so many bytes are kept, beside scopes whose changes the store does not know yet or that are watched.
    static let capacity = 8 << 20

    package internal(set) var configuration = CounterConfiguration.none
    /// Numbers the runs of the daemon: what a `session` counter was in another run is forgotten.
    package let run: Int64
    /// Whether the store has been told that this run has begun.
    var hasBegunRun = false
    /// How many changes of counters there were; each has its number.
    package internal(set) var revision: UInt64 = 0

    private var cache = Cache<Scope, CounterState>(capacity: 65_536, weightCapacity: CounterBook.capacity)
    /// How many watch a scope.
    private var watchers: [Scope: Int] = [:]
    /// Scopes that are not loaded and whose instance counters the store is still to reset, and how many times.
    private var pendingResets: [Scope: Int] = [:]
    private var newResets: [Scope] = []
    private var resetsHandedOver: [Scope] = []

    init(run: Int64) {
        self.run = run
    }

    package func isLoaded(_ scope: Scope) -> Bool { cache.contains(scope) }

    /// Whether a scope is loaded; if so, what follows finds it.
    mutating func use(_ scope: Scope) -> Bool { cache.use(scope) }

    package func state(of scope: Scope) -> CounterState? { cache[scope] }

    /// Brings in what the store knows of a scope.
    mutating func admit(_ scope: Scope, _ state: CounterState) {
        guard !cache.contains(scope) else { return }
        var state = state
        if pendingResets[scope] != nil { state.resetInstances() }
        for (name, counter) in state.counters { state.counters[name] = inForce(counter) }
        cache.admit(scope, state, weight: state.weight)
        if watchers[scope] != nil { cache.hold(scope) }
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
        for scope in cache.keys {
            guard var state = cache[scope] else { continue }
            state.counters = state.counters.mapValues(inForce)
            state.configured = state.configured.filter { configuration.execution($0.key, in: scope.app) != nil }
            cache.adjust(scope) { $0 = state }
        }
    }

    /// The counter of a name: registered, or of the settings. The scope must be loaded.
    package func counter(_ name: ExactName, in scope: Scope) -> Counter? {
        if let counter = cache[scope]?.counters[name] { return counter }
        return configuration.counter(name, in: scope.app).map { Counter($0, in: scope) }
    }

    /// All counters of a loaded scope, by name.
    package func all(in scope: Scope) -> [Counter] {
        let registered = cache[scope]?.counters ?? [:]
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
        var growth = counter.weight
        cache.change(counter.scope) { state in
            growth -= state.counters.updateValue(counter, forKey: counter.name)?.weight ?? 0
        }
        cache.addWeight(growth, to: counter.scope)
    }

    mutating func put(_ state: ExecutionState?, of execution: ExactName, in scope: Scope) {
        cache.change(scope) { $0.configured[execution] = state }
    }

    mutating func noteReset(of scope: Scope) {
        pendingResets[scope, default: 0] += 1
        newResets.append(scope)
    }
}

/// Letting go.
extension CounterBook {
    mutating func handOver() {
        cache.handOver()
        resetsHandedOver += newResets
        newResets = []
    }

    /// - Returns: the scopes that the store has reset by that.
    mutating func settle() -> [Scope] {
        cache.settle()
        defer { resetsHandedOver = [] }
        for scope in resetsHandedOver {
            pendingResets[scope, default: 1] -= 1
            if pendingResets[scope] == 0 { pendingResets[scope] = nil }
        }
        return resetsHandedOver
    }

    package mutating func watch(_ scope: Scope) {
        if watchers.updateValue((watchers[scope] ?? 0) + 1, forKey: scope) == nil { cache.hold(scope) }
    }

    package var watchedScopes: [Scope] { Array(watchers.keys) }

    package mutating func unwatch(_ scope: Scope) {
        guard let count = watchers[scope] else { return }
        watchers[scope] = count > 1 ? count - 1 : nil
        if count == 1 { cache.letGo(scope) }
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
        for scope in cache.keys where uid == nil || uid == scope.uid {
            cache.change(scope) { $0 = CounterState() }
            cache.setWeight(CounterState().weight, of: scope)
        }
    }

    /// Lets go of scopes if the store knows all about them.
    mutating func drop(where isMeant: (Scope) -> Bool) { cache.drop { scope, _ in isMeant(scope) } }
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
