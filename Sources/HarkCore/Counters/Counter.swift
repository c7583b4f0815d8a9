package import HarkWire

/// A value of an app under a name, which executions and surveys look at: mostly a number that counts something.
package struct Counter: Sendable, Equatable {
    package let scope: Scope
    package let name: ExactName
    package var initial: JSONValue
    package var lifetime: CounterLifetime
    /// What it was triggered or set to; nil while it has its initial value.
    package var changed: JSONValue?
    /// The runs of the daemon in which it was last changed and last registered.
    package var changedIn: Int64
    package var registeredIn: Int64
    /// The connections and processes whose run it follows, none when that is over; nil: it follows the daemon's.
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

    /// What another registration makes of it: the value of an `app` counter stays what it is, also while that is the
    /// initial one of before.
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

    /// As it is in a run of the daemon: a value of a run before does not count in a `session` counter, unless it follows
    /// the run of its app and that goes on.
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

    /// Writes it as replies and lists have it.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.key("name")
        json.string(name.text)
        json.key("app")
        json.string(scope.app)
        json.key("value")
        json.value(value)
        json.key("initial")
        json.value(initial)
        json.key("scope")
        json.string(lifetime.word)
        if let holders {
            json.key("heldBy")
            json.int(holders.count)
        }
        json.endObject()
    }
}
