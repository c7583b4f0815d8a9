package import HarkWire

/// Commands for counters. Each has its `Need`; scopes must have been admitted.
extension Engine {
    /// The result of a counter change.
    package struct CounterChange: Sendable, Equatable {
        package let counter: Counter
        /// The executions that fired, in order.
        package let fired: [ExactName]
        /// The number of the change, for watchers.
        package let revision: UInt64
    }

    /// Registers a counter. Only the first registration in a run takes effect: the daemon's run, or the app's run if the
    /// counter follows it. Another registration during the same run of the app adds its holder.
    ///
    /// - Parameter holder: the connection or process whose end ends the run; nil for the daemon's run.
    /// - Returns: the counter, and whether this registration took effect.
    package mutating func registerCounter(
        _ name: String, initial: JSONValue, lifetime: CounterLifetime, holder: CounterHolder? = nil, in scope: Scope,
        into changes: inout Changes
    ) throws(WireError) -> (counter: Counter, isFirst: Bool) {
        try Limits.check(app: scope.app)
        try Limits.check(counterName: name)
        try Limits.check(counterValue: initial, "initial")
        let name = ExactName(name)
        let run = counters.run
        guard let known = counters.counter(name, in: scope) else {
            if counters.state(of: scope)?.counters.count ?? 0 >= Limits.countersPerApp {
                throw WireError(
                    .tooLarge,
                    "app '\(scope.app)' has \(Limits.countersPerApp) counters, which is the most it can have",
                    path: "name")
            }
            let counter = Counter(
                scope: scope, name: name, initial: initial, lifetime: lifetime, changedIn: run, registeredIn: run,
                holders: holder.map { [$0] })
            try checkRoom(for: counter.growth(over: nil), .counters, of: scope.uid, paths: ("name", "initial"))
            put(counter, .register, into: &changes)
            return (counter, true)
        }
        if counters.configuration.counter(name, in: scope.app) != nil { return (known, false) }
        if let holders = known.holders, !holders.isEmpty {
            guard let holder, !holders.contains(holder) else { return (known, false) }
            var counter = known
            counter.holders = holders + [holder]
            put(counter, .register, into: &changes)
            return (counter, false)
        }
        // Once the app's run is over, the next one may register the name anew.
        if known.registeredIn == run, known.holders == nil { return (known, false) }
        var counter = known.redefined(initial: initial, lifetime: lifetime, holders: holder.map { [$0] }).asOf(run: run)
        counter.registeredIn = run
        try checkRoom(for: counter.growth(over: known), .counters, of: scope.uid, paths: ("name", "initial"))
        put(counter, .register, into: &changes)
        return (counter, true)
    }

    /// Adds one to a counter, and triggers its listeners.
    package mutating func triggerCounter(
        _ name: String, in scope: Scope, source: Source, now: Timestamp, into changes: inout Changes
    ) throws(WireError) -> CounterChange {
        let counter = try find(counter: name, in: scope)
        let next: JSONValue
        switch counter.value {
        case .int(let number):
            guard number < Int64.max else { throw Engine.full(counter) }
            next = .int(number + 1)
        case .double(let number):
            guard number + 1 > number else { throw Engine.full(counter) }
            next = .double(number + 1)
        default:
            throw WireError(
                .conflict,
                "the counter '\(name)' holds \(counter.value.kind), and only a number can be triggered; give it another "
                    + "value with counter.set", path: "name")
        }
        return change(counter, to: next, .trigger, source: source, now: now, into: &changes)
    }

    /// Sets a counter to any value, and triggers its listeners.
    package mutating func setCounter(
        _ name: String, to value: JSONValue, in scope: Scope, source: Source, now: Timestamp,
        into changes: inout Changes
    ) throws(WireError) -> CounterChange {
        try Limits.check(counterValue: value, "value")
        let counter = try find(counter: name, in: scope)
        var changed = counter
        changed.changed = value
        try checkRoom(for: changed.growth(over: counter), .counters, of: scope.uid, paths: ("name", "value"))
        return change(counter, to: value, .set, source: source, now: now, into: &changes)
    }

    /// Resets one counter of an app, or all of them, to the initial value. No listener is triggered.
    ///
    /// - Returns: the number of counters reset, changed or not.
    package mutating func resetCounters(
        _ name: String?, in scope: Scope, into changes: inout Changes
    ) throws(WireError) -> Int {
        guard let name else { return reset(counters.all(in: scope), into: &changes) }
        return reset([try find(counter: name, in: scope)], into: &changes)
    }

    /// Resets the app's instance counters, because the app has gone to the background.
    package mutating func background(_ scope: Scope, into changes: inout Changes) throws(WireError) -> Int {
        try Limits.check(app: scope.app)
        return reset(counters.all(in: scope).filter { $0.lifetime == .instance }, into: &changes)
    }

    /// Resets the instance counters of a scope, loaded or not, because its session has ended.
    mutating func resetInstanceCounters(of scope: Scope, into changes: inout Changes) {
        if counters.isLoaded(scope) {
            _ = reset(counters.all(in: scope).filter { $0.lifetime == .instance }, into: &changes)
        } else {
            counters.noteReset(of: scope)
            changes.rows.append(.counters(.resetInstanceCounters(scope)))
        }
    }

    private mutating func reset(_ all: [Counter], into changes: inout Changes) -> Int {
        for var counter in all where counter.changed != nil {
            counter.changed = nil
            put(counter, .reset, into: &changes)
        }
        return all.count
    }

    private mutating func change(
        _ counter: Counter, to value: JSONValue, _ cause: CounterCause, source: Source, now: Timestamp,
        into changes: inout Changes
    ) -> CounterChange {
        var counter = counter
        counter.changed = value
        counter.changedIn = counters.run
        put(counter, cause, into: &changes)
        let revision = counters.revision
        let fired = fireListeners(to: counter, source: source, now: now, into: &changes)
        trigger(changed: counter, source: source, now: now, into: &changes)
        return CounterChange(counter: counter, fired: fired, revision: revision)
    }

    mutating func put(_ counter: Counter, _ cause: CounterCause, into changes: inout Changes) {
        if !counters.hasBegunRun {
            counters.hasBegunRun = true
            changes.rows.append(.counters(.beginRun(counters.run)))
        }
        counters.revision += 1
        let before = counters.state(of: counter.scope)?.counters[counter.name]
        hold(counter.growth(over: before), .counters, of: counter.scope.uid)
        counters.put(counter)
        changes.rows.append(.counters(.putCounter(counter, cause, revision: counters.revision)))
    }

    /// - Throws: `notFound` when no client has registered the counter.
    private func find(counter name: String, in scope: Scope) throws(WireError) -> Counter {
        try Limits.check(app: scope.app)
        try Limits.check(counterName: name)
        guard let counter = counters.counter(ExactName(name), in: scope) else {
            throw WireError(
                .notFound,
                "app '\(scope.app)' has no counter '\(name)'; register it first (counter.register), or name it in "
                    + "\"counters\" of harkd.json", path: "name")
        }
        return counter
    }

    private static func full(_ counter: Counter) -> WireError {
        WireError(
            .conflict,
            "the counter '\(counter.name)' is as large as its number can be, \(counter.value); reset it or set another",
            path: "name")
    }
}

extension JSONValue {
    /// The kind of value, with its article.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a bool"
        case .int, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
