/// The params of `session.*`.

package struct SessionStart: WireMethod {
    package typealias Result = StartedSession
    package static let name = "session.start"

    package var user = UserChoice.unsaid
    package var app: String?
    package var metadata: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", &user, "the user of the events; without it, anonymous")
        m.whichApp(&app)
        m(
            "metadata", &metadata, .anObject(.properties),
            "strings, numbers and bools to keep with the session; null is left out")
    }
}

package struct SessionEnd: WireMethod {
    package typealias Result = SessionResult
    package static let name = "session.end"

    package var app: String?
    package var sessionId: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.whichApp(&app)
        m("sessionId", &sessionId, .id, "end this session, if it is the current one of its app")
    }
}

package struct SessionCurrent: WireMethod {
    package typealias Result = CurrentSession
    package static let name = "session.current"

    package var app: String?

    package init() {}

    package init(app: String?) { self.app = app }

    package mutating func map<Map: MemberMap>(_ m: inout Map) { m.whichApp(&app) }
}

package struct SessionGet: WireMethod {
    package typealias Result = CountedSession
    package static let name = "session.get"

    package var sessionId = ""

    package init() {}

    package init(_ sessionId: String) { self.sessionId = sessionId }

    /// The id; zeros if it is none, which no request that was read has.
    package var session: Identifier { Identifier(sessionId) ?? Identifier(high: 0, low: 0) }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessionId", &sessionId, .id, "which one")
    }
}

package struct SessionList: ListMethod {
    package typealias Result = SessionPage
    package static let name = "session.list"

    package var user = UserChoice.unsaid
    package var app: String?
    package var current: Bool?
    package var order: ListOrder?
    package var after: String?
    package var limit: Int64?
    package var machines = MachineChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.onlyUser(&user)
        m.onlyApp(&app)
        m("current", &current, "true: only sessions that are the current one of their app")
        m("order", &order, "`asc` (default) or `desc`")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "sessions a page (100)")
        machines.map(&m)
    }
}

/// The daemon reads its session by hand, as it does `event.import`.
package struct SessionImport: WireMethod {
    package typealias Result = ImportedSession
    package static let name = "session.import"

    package var session = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("session", &session, .anObject(.object), "the content of its `session.json`")
    }
}

/// The order of a list.
package enum ListOrder: String, Sendable, CaseIterable {
    case asc, desc
}
