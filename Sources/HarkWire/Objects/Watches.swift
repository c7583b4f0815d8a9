/// The terms of a watch, as requested, stored and reported.
package struct WatchTerms: WireObject, Equatable {
    /// The interval in milliseconds.
    package var every: Int64 = 0
    package var condition: AnyJSON?
    package var between: String?
    package var days: String?
    package var app: String?
    package var userId: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "everySeconds", milliseconds: &every, .number(in: 1...316_224_000, "of seconds"),
            "how long it may stay away, at most ten years")
        m("where", &condition, .condition, "only events for which this condition holds count: `exitCode = 0`")
        m(
            "between", &between,
            "only the time between these hours counts, in the machine's time zone: `08:00-18:00`; without it, all day")
        m("days", &days, "only these days of the week count: `mon-fri`, `sat,sun`; without it, all")
        m("app", &app, "only events of this application count; without it, of any")
        m("userId", &userId, "only events about this user count; without it, about any user")
    }
}

/// A watch, as reported.
package struct WatchInfo: WireObject {
    package var id = ""
    package var event = ""
    package var terms = WatchTerms()
    package var uid: Int64 = 0
    package var addedAt = Timestamp.earliest
    package var lastAt: Timestamp?
    package var lastSeq: Int64?
    package var dueAt: Timestamp?
    package var missedAt: Timestamp?
    package var misses: Int64 = 0

    package init() {}

    package static var title: String? { "Watch" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("event", &event)
        terms.map(&m)
        m("uid", &uid, .uid)
        m("addedAt", &addedAt)
        m("lastAt", orNull: &lastAt, "null: not since it was added")
        m("lastSeq", orNull: &lastSeq, .count)
        m("dueAt", orNull: &dueAt, "the time by which it must come; null while it is missed")
        m("missedAt", orNull: &missedAt, "null: it is not missed")
        m("misses", &misses, .count)
    }
}

package struct WatchAdd: WireMethod {
    package static let name = "watch.add"

    package var id = ""
    package var event: String?
    package var terms = WatchTerms()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "its name, 1 to 256 bytes")
        m("event", &event, "the name of the expected event; without it, the `id`")
        terms.map(&m)
    }

    package struct Result: WireObject {
        package var watch = WatchInfo()
        package var replaced = false

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m(
                "watch", &watch,
                """
                the given members, and `uid`, `addedAt`, `lastAt` and `lastSeq` (time and number of the last event), `dueAt` \
                (the time by which the next one must come), `missedAt` (since when it is missed), `misses` (how often)
                """)
            m("replaced", &replaced, "whether it replaced one with the same id")
        }
    }
}

package struct WatchRemove: WireMethod {
    package typealias Result = Removed
    package static let name = "watch.remove"

    package var id = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "which one")
    }
}

package struct WatchList: PagedMethod {
    package static let name = "watch.list"

    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.after(&after)
        m("limit", &limit, .integer(in: 1...100), "how many a page (100)")
    }

    package struct Result: WirePage {
        package var watches: [WatchInfo] = []
        package var next: String?

        package init() {}

        package mutating func map<Map: MemberMap>(_ m: inout Map) {
            m("watches", &watches, "each as in [watch.add](#watchadd)")
            m.next(&next)
        }

        package var items: [WatchInfo] { watches }
    }
}
