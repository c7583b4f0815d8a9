/// A counter, as reported.
package struct CounterInfo: WireObject {
    package var name = ""
    package var app = ""
    package var value = AnyJSON(.null)
    package var initial = AnyJSON(.null)
    package var scope = ""
    package var heldBy: Int64?

    package init() {}

    package static var title: String? { "Counter" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name)
        m("app", &app)
        m("value", &value, .anything)
        m("initial", &initial, .anything)
        m("scope", &scope, .oneOf(CounterLifetime.allCases.map(\.word)))
        m("heldBy", &heldBy, .count, "where it follows its app: how many connections and processes its run has")
    }
}

/// The result of `counter.register`.
package struct RegisteredCounter: WireObject {
    package var counter = CounterInfo()
    package var registered = false

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "counter", &counter,
            """
            `name`, `app`, `value`, `initial`, `scope`, as they are now; `heldBy` if it follows its app: how many connections \
            and processes its run has
            """)
        m("registered", &registered, "false: an earlier registration is in force")
    }
}

/// The result of `counter.trigger` and `counter.set`.
package struct ChangedCounter: WireObject {
    package var name = ""
    package var value = AnyJSON(.null)
    package var fired: [String] = []
    package var revision: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("name", &name, "the counter")
        m("value", &value, .anything, "what it is now")
        m("fired", &fired, "the ids of the executions that fired")
        m("revision", &revision, .count, "the number of this change, as in [counter.subscribe](#countersubscribe)")
    }
}

/// The result of `counter.get`.
package struct CounterValue: WireObject {
    package var value = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("value", &value, .anything, "the value, or null")
    }
}

/// The result of `counter.list`.
package struct CounterPage: WirePage {
    package var counters: [CounterInfo] = []
    package var next: String?

    package init() {}

    package var items: [CounterInfo] { counters }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("counters", &counters, "each as in [counter.register](#counterregister)")
        m("next", orNull: &next, "where the next page goes on; null on the last")
    }
}

/// The result of `counter.reset` and `app.background`.
package struct CounterResets: WireObject {
    package var reset: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("reset", &reset, .count, "how many counters were reset")
    }
}

/// The result of `counter.subscribe`.
package struct CounterSnapshot: WireObject {
    package var subscription: Int64 = 0
    package var counters: [CounterInfo] = []
    package var next: String?
    package var revision: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("subscription", &subscription, .integer(in: 1 ... .max), "its number on this connection")
        m("counters", &counters, "each as in [counter.register](#counterregister)")
        m("next", orNull: &next, "where `counter.list` goes on; null when these are all")
        m(
            "revision", &revision, .count,
            """
            the number of the last change that they include; changes are numbered in a run of the daemon
            """)
    }
}

/// The params of the notification `counter.changed`.
package struct CounterChanged: WireObject {
    package var app = ""
    package var name = ""
    package var value = AnyJSON(.null)
    package var cause = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("app", &app)
        m("name", &name)
        m("value", &value, .anything)
        m("cause", &cause, .oneOf(CounterCause.allCases.map(\.rawValue)))
    }
}
