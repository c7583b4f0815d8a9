package import HarkWire

/// A named value of an app that executions and surveys test: mostly a number that counts something.
package struct Counter: Sendable, Equatable {
    package let scope: Scope
    package let name: ExactName
    package var initial: JSONValue
    package var lifetime: CounterLifetime
    /// The value set or counted since; nil while the counter has its initial value.
    package var changed: JSONValue?
    /// The runs of the daemon in which the counter was last changed and last registered.
    package var changedIn: Int64
    package var registeredIn: Int64
    /// The connections and processes whose run the counter follows, empty when that run is over; nil if it follows the daemon's
    /// run.
    package var holders: [CounterHolder]?

    package init(
        scope: Scope, name: ExactName, initial: JSONValue, lifetime: CounterLifetime, changed: JSONValue? = nil,
        changedIn: Int64 = 0, registeredIn: Int64 = 0, holders: [CounterHolder]? = nil
    ) {
        self.scope = scope
        self.name = name
        self.initial = initial
        self.lifetime = lifetime
        self.changed = changed
        self.changedIn = changedIn
        self.registeredIn = registeredIn
        self.holders = holders
    }

    package var value: JSONValue { changed ?? initial }

    /// Applies another registration. An `app` counter keeps its value, even one that is still the earlier initial
    /// value.
    func redefined(initial: JSONValue, lifetime: CounterLifetime, holders: [CounterHolder]? = nil) -> Counter {
        var counter = self
        counter.holders = holders
        if self.lifetime == .app, lifetime == .app, changed == nil, initial != self.initial {
            counter.changed = self.initial
        }
        counter.initial = initial
        counter.lifetime = lifetime
        return counter
    }

    /// The counter as seen in a run of the daemon. A `session` counter loses a value from an earlier run, unless it
    /// follows a run of its app that still goes on.
    func asOf(run: Int64) -> Counter {
        if let holders {
            guard holders.contains(where: { $0.isOver(in: run) }) else { return self }
            var counter = self
            counter.holders = holders.filter { !$0.isOver(in: run) }
            if counter.holders?.isEmpty == true { counter.changed = nil }
            return counter
        }
        guard lifetime == .session, changedIn != run, changed != nil else { return self }
        var counter = self
        counter.changed = nil
        return counter
    }
}

extension CounterInfo {
    package init(_ counter: Counter) {
        self.init()
        name = counter.name.text
        app = counter.scope.app
        value = AnyJSON(counter.value)
        initial = AnyJSON(counter.initial)
        scope = counter.lifetime.word
        heldBy = counter.holders.map { Int64($0.count) }
    }
}
