internal import HarkWire

/// The counters of recently used scopes, and the settings for counters and executions.
///
/// The scope of a watcher stays in memory.
package struct CounterBook: Sendable {
    /// The approximate maximum of bytes to keep, without scopes that are watched or have changes not yet stored.
    static let capacity = 8 << 20

    package internal(set) var configuration = CounterConfiguration.none
    /// The number of this run of the daemon. A `session` counter forgets its value from another run.
    package let run: Int64
    /// Whether the store knows that this run has begun.
    var hasBegunRun = false
    /// The number of counter changes so far; each change has its number.
    package internal(set) var revision: UInt64 = 0

    private var cache = Cache<Scope, CounterState>(capacity: 65_536, weightCapacity: CounterBook.capacity)
    /// The number of watchers per scope.
    private var watchers: [Scope: Int] = [:]
    /// How often the store must still reset the instance counters of scopes that are not loaded.
    private var pendingResets: [Scope: Int] = [:]
    private var newResets: [Scope] = []
    private var resetsHandedOver: [Scope] = []

    init(run: Int64) {
        self.run = run
    }

    package func isLoaded(_ scope: Scope) -> Bool { cache.contains(scope) }

    /// Marks a scope as used; returns whether it is loaded.
    mutating func use(_ scope: Scope) -> Bool { cache.use(scope) }

    package func state(of scope: Scope) -> CounterState? { cache[scope] }

    /// Adds a scope as the store has it.
    mutating func admit(_ scope: Scope, _ state: CounterState) {
        guard !cache.contains(scope) else { return }
        var state = state
        if pendingResets[scope] != nil { state.resetInstances() }
        for (name, counter) in state.counters { state.counters[name] = inForce(counter) }
        cache.admit(scope, state, weight: state.weight)
        if watchers[scope] != nil { cache.hold(scope) }
    }

    /// The counter according to the settings and the current run.
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

    /// A counter by name, registered or from the settings. The scope must be loaded.
    package func counter(_ name: ExactName, in scope: Scope) -> Counter? {
        if let counter = cache[scope]?.counters[name] { return counter }
        return configuration.counter(name, in: scope.app).map { Counter($0, in: scope) }
    }

    /// All counters of a loaded scope, sorted by name.
    package func all(in scope: Scope) -> [Counter] {
        let registered = cache[scope]?.counters ?? [:]
        let declared = configuration.counters.filter {
            registered[$0.name] == nil && configuration.counter($0.name, in: scope.app) != nil
        }
        return (registered.values + declared.map { Counter($0, in: scope) }).sorted { $0.name < $1.name }
    }

    /// - Parameter changed: the counter whose change triggers the check.
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

/// Handing changes over and dropping state.
extension CounterBook {
    mutating func handOver() {
        cache.handOver()
        resetsHandedOver += newResets
        newResets = []
    }

    /// - Returns: the scopes that the store has now reset.
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

    /// The part that a new engine keeps: settings, run and watchers, but nothing that the store can load again.
    func restarted() -> CounterBook {
        var book = CounterBook(run: run)
        book.configuration = configuration
        book.revision = revision
        book.watchers = watchers
        return book
    }

    /// Empties the scopes of a uid; nil for all users.
    mutating func removeAll(of uid: UInt32?) {
        for scope in cache.keys where uid == nil || uid == scope.uid {
            cache.change(scope) { $0 = CounterState() }
            cache.setWeight(CounterState().weight, of: scope)
        }
    }

    /// Drops matching scopes whose changes are all stored.
    mutating func drop(where isMeant: (Scope) -> Bool) { cache.drop { scope, _ in isMeant(scope) } }
}

extension Counter {
    init(_ declared: DeclaredCounter, in scope: Scope) {
        self.init(scope: scope, name: declared.name, initial: declared.initial, lifetime: declared.lifetime)
    }
}

extension JSONValue {
    /// The approximate size in memory, in bytes.
    var weight: Int {
        switch self {
        case .null, .bool, .int, .double: 0
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(elements.count * 16) { $0 + $1.weight }
        case .object(let object): object.reduce(object.count * 40) { $0 + $1.key.utf8.count + $1.value.weight }
        }
    }
}
