/// A session, as reported.
package struct SessionInfo: WireObject {
    package var id = Identifier(high: 0, low: 0)
    package var userId: String?
    package var app = ""
    package var uid: Int64 = 0
    package var startedAt = Timestamp.earliest
    package var endedAt: Timestamp?
    package var anonymous = false
    package var metadata = AnyJSON(.null)
    package var eventCount: Int64?
    package var machine: String?
    package var group: String?
    package var machineSessionId: Identifier?

    package init() {}

    package static var title: String? { "Session" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("userId", orNull: &userId, "null: anonymous")
        m("app", &app)
        m("uid", &uid, .uid)
        m("startedAt", &startedAt)
        m("endedAt", orNull: &endedAt, "null: it is running")
        m("anonymous", &anonymous)
        m("metadata", &metadata, .shaped(.properties))
        m("eventCount", &eventCount, .count, "where events were counted: of session.get and session.list")
        m("machine", &machine, "on a hub: the machine it comes from; `uid` is that of this machine")
        m("group", &group, "of that machine, unless it is in none")
        m("machineSessionId", &machineSessionId, "the id it has there, where that is another")
    }
}

/// The result of `session.end`.
package struct SessionResult: WireObject {
    package var session = SessionInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "session", &session,
            """
            `id`, `userId` (null: anonymous), `app`, `uid`, `startedAt`, `endedAt` (null: running), `anonymous`, \
            `metadata`
            """)
    }
}

/// The result of `session.start`.
package struct StartedSession: WireObject {
    package var of = SessionResult()
    package var droppedMetadata: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        of.map(&m)
        m("droppedMetadata", &droppedMetadata, "keys whose values were left out")
    }
}

/// The result of `session.import`.
package struct ImportedSession: WireObject {
    package var of = SessionResult()
    package var created = false
    package var droppedMetadata: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        of.map(&m)
        m("created", &created, "false: it was here already")
        m("droppedMetadata", &droppedMetadata, "keys whose values were left out")
    }
}

/// The result of `session.current`.
package struct CurrentSession: WireObject {
    package var session: SessionInfo?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("session", orNull: &session, "as in `session.start`; null when there is none")
    }
}

/// The result of `session.get`.
package struct CountedSession: WireObject {
    package var session = SessionInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("session", &session, "as in `session.start`, and `eventCount`")
    }
}

/// The result of `session.get`, whose session is passed on as it is.
package struct ToldSession: WireObject {
    package var session = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("session", &session, .shaped(SessionInfo.shape))
    }
}

/// The result of `session.list`.
package struct SessionPage: WireObject {
    package var sessions = AnyJSON(.null)
    package var next: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessions", &sessions, .shaped(.array(SessionInfo.shape)), "as in `session.get`")
        m.next(&next)
    }
}
