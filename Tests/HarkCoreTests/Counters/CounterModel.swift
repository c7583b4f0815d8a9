import HarkCore
import HarkWire

/// The rules of counters and executions, written as plainly as possible.
struct CounterModel {
    struct Scoped {
        var counters: [String: Counter] = [:]
        /// In the order in which they were added.
        var executions: [Execution] = []
        var user: String??
    }

    struct Counter {
        var initial: JSONValue
        var lifetime: CounterLifetime
        var value: JSONValue?
        /// In this run of the daemon.
        var isRegistered = true
        var isChanged = false
    }

    var scopes: [Scope: Scoped] = [:]

    mutating func register(_ name: String, _ initial: JSONValue, _ lifetime: CounterLifetime, in scope: Scope) {
        guard var known = scopes[scope]?.counters[name] else {
            scopes[scope, default: Scoped()].counters[name] = Counter(initial: initial, lifetime: lifetime)
            return
        }
        guard !known.isRegistered else { return }
        if known.lifetime == .app, lifetime == .app, known.value == nil, known.initial != initial {
            known.value = known.initial
        }
        known.initial = initial
        known.lifetime = lifetime
        // A session counter's value from another run does not count.
        if lifetime == .session, !known.isChanged { known.value = nil }
        known.isRegistered = true
        scopes[scope]?.counters[name] = known
    }

    /// - Returns: The ids that fire, or nil for a refusal.
    mutating func trigger(_ name: String, in scope: Scope) -> [String]? {
        guard let counter = scopes[scope]?.counters[name] else { return nil }
        switch counter.value ?? counter.initial {
        case .int(let number): return set(name, .int(number + 1), in: scope)
        case .double(let number): return set(name, .double(number + 1), in: scope)
        default: return nil
        }
    }

    mutating func set(_ name: String, _ value: JSONValue, in scope: Scope) -> [String]? {
        guard scopes[scope]?.counters[name] != nil else { return nil }
        scopes[scope]?.counters[name]?.value = value
        scopes[scope]?.counters[name]?.isChanged = true
        let values = self.values(in: scope)
        let firing = (scopes[scope]?.executions ?? []).filter { execution in
            execution.listensTo.contains(ExactName(name)) && execution.condition.holds { values[$0] }
        }
        scopes[scope]?.executions.removeAll { execution in
            !execution.keepAlive && firing.contains { $0.id == execution.id }
        }
        return firing.map(\.id.text)
    }

    func values(in scope: Scope) -> [String: JSONValue] {
        (scopes[scope]?.counters ?? [:]).mapValues { $0.value ?? $0.initial }
    }

    mutating func reset(_ name: String?, in scope: Scope) {
        for key in scopes[scope]?.counters.keys.map({ $0 }) ?? [] where name == nil || name == key {
            scopes[scope]?.counters[key]?.value = nil
        }
    }

    mutating func resetInstances(in scope: Scope) {
        for (name, counter) in scopes[scope]?.counters ?? [:] where counter.lifetime == .instance {
            scopes[scope]?.counters[name]?.value = nil
        }
    }

    mutating func add(_ execution: Execution, in scope: Scope) {
        scopes[scope, default: Scoped()].executions.removeAll { $0.id == execution.id }
        scopes[scope]?.executions.append(execution)
    }

    mutating func startSession(_ user: String?, in scope: Scope) {
        endSession(in: scope)
        scopes[scope, default: Scoped()].user = .some(user)
    }

    mutating func endSession(in scope: Scope) {
        guard case .some = scopes[scope]?.user else { return }
        scopes[scope]?.user = .none
        resetInstances(in: scope)
    }

    mutating func clear(user: String?) {
        for (scope, state) in scopes {
            if case .some(let current) = state.user, current == user { endSession(in: scope) }
        }
    }

    mutating func startDaemonAnew() {
        for (scope, state) in scopes {
            for (name, counter) in state.counters {
                scopes[scope]?.counters[name]?.isRegistered = false
                scopes[scope]?.counters[name]?.isChanged = false
                if counter.lifetime == .session { scopes[scope]?.counters[name]?.value = nil }
            }
        }
    }
}
