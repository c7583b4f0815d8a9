/// The id, the time and the number of an event, which is read for nothing else.
package struct EventPlace: WireObject {
    package var id: Identifier?
    package var timestamp: Timestamp?
    package var seq: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("timestamp", &timestamp)
        m("seq", &seq, .count)
    }
}

/// When a session began and ended.
package struct SessionTimes: WireObject {
    package var startedAt: Timestamp?
    package var endedAt: Timestamp?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("startedAt", &startedAt)
        m("endedAt", &endedAt)
    }
}

/// The id of a showing and whose it is, which is read for nothing else.
package struct ShowingPlace: WireObject {
    package var presentationId: Identifier?
    package var uid: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId)
        m("uid", &uid, .uid)
    }
}
