/// The result of methods that remove one thing.
package struct Removed: WireObject {
    package var removed = true

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m("removed", &removed, "true") }
}

/// The result of methods that start a stream and tell nothing else.
package struct StartedStream: WireObject {
    package var subscription: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("subscription", &subscription, .integer(in: 1 ... .max), "its number on this connection")
    }
}
