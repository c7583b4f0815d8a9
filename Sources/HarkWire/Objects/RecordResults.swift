/// The result of `event.record`.
package struct RecordedEventInfo: WireObject {
    package var id: Identifier?
    package var seq: Int64?
    package var sessionId: Identifier?
    package var duplicate: Bool?
    package var droppedProperties: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "id", orNull: &id,
            """
            the event's id (UUID); null if it was recorded before and the record is no longer known
            """)
        m("seq", orNull: &seq, .count, "its number, ascending over the whole store; null as `id`")
        m("sessionId", orNull: &sessionId, "the session it belongs to; null as `id`")
        m("duplicate", &duplicate, "with `producer`: true if it was recorded by an earlier send, and not now")
        m("droppedProperties", &droppedProperties, "keys that were null, and left out")
    }
}

/// The result of `log.write`.
package struct WrittenLine: WireObject {
    package var id: Identifier?
    package var seq: Int64?
    package var sessionId: Identifier?
    package var duplicate: Bool?
    package var userId = ""
    package var destinations: [String] = []
    package var truncated: Bool?
    package var droppedMetadata: [String]?
    package var delivered: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "id", orNull: &id,
            """
            the line's id (UUID); null if it was recorded before and the record is no longer known
            """)
        m("seq", orNull: &seq, .count, "its number, ascending over the whole store; null as `id`")
        m("sessionId", orNull: &sessionId, "the session it belongs to; null as `id`")
        m("duplicate", &duplicate, "with `producer`: true if it was recorded by an earlier send, and not now")
        m("userId", &userId, "the user it is about")
        m("destinations", &destinations, "the destinations that it goes to; empty: it is only kept here")
        m("truncated", &truncated, "true: the message was cut")
        m("droppedMetadata", &droppedMetadata, "keys whose values were left out")
        m("delivered", &delivered, "with `confirm`: the destination that accepted it")
    }
}

/// The result of `event.list`.
package struct EventPage: WireObject {
    package var events: AnyJSON?
    package var lines: [String]?
    package var nextAfterSeq: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "events", &events, .shaped(.array(.partOfEvent)),
            """
            each with `id`, `seq`, `name`, `timestamp`, `sessionId`, `userId` (unless anonymous), `properties`, \
            `source` (`uid`, `pid`), `origin` (of a machine: `machine`, `group`, `seq`), or only the requested `members`
            """)
        m(
            "lines", &lines,
            """
            instead, with `as`: `lines`: each event as a string, the line of its `events.jsonl`
            """)
        m("nextAfterSeq", orNull: &nextAfterSeq, .count, "where the next page goes on; null on the last")
    }
}

/// The result of `log.list`.
package struct LogPage: WireObject {
    package var entries: AnyJSON?
    package var lines: [String]?
    package var nextAfterSeq: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "entries", &entries, .shaped(.array(LogEntryInfo.shape)),
            """
            each with `id`, `seq`, `timestamp`, `sessionId`, `level`, `message`, `userId` (the user it is about), \
            `metadata`, `source` (`uid`, `pid`)
            """)
        m("lines", &lines, "instead, with `as`: `lines`: each entry as a string")
        m("nextAfterSeq", orNull: &nextAfterSeq, .count, "where the next page goes on; null on the last")
    }
}

/// The result of `event.subscribe` and `log.subscribe`.
package struct RecordStreamInfo: WireObject {
    package var subscription: Int64 = 0
    package var afterSeq: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("subscription", &subscription, .integer(in: 1 ... .max), "its number on this connection")
        m("afterSeq", &afterSeq, .count, "the number after which the stream begins")
    }
}

/// The params of the notification `event`.
package struct ToldEvent: WireObject {
    package var event = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("event", &event, .shaped(EventInfo.shape))
    }
}

/// The params of the notification `log`.
package struct ToldEntry: WireObject {
    package var entry = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("entry", &entry, .shaped(LogEntryInfo.shape))
    }
}

/// The params of the notifications `session.started` and `session.ended`.
package struct ToldSessionChange: WireObject {
    package var seq: Int64 = 0
    package var session = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("seq", &seq, .count)
        m("session", &session, .shaped(SessionInfo.shape))
    }
}

/// The result of `log.device`.
package struct DeviceResult: WireObject {
    package var deviceId = Identifier(high: 0, low: 0)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("deviceId", &deviceId, "a UUID")
    }
}

/// The result of `event.import`.
package struct ImportedEventInfo: WireObject {
    package var id = Identifier(high: 0, low: 0)
    package var seq: Int64?
    package var imported = false
    package var droppedProperties: [String]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "the event's id")
        m("seq", orNull: &seq, .count, "its number in this store; null when it was here already")
        m("imported", &imported, "false: it was here already")
        m("droppedProperties", &droppedProperties, "keys that were null, and left out")
    }
}

/// The result of `event.clear`.
package struct ClearedRecords: WireObject {
    package var sessions: Int64 = 0
    package var events: Int64 = 0
    package var delivered: [String]?
    package var unreached: [UnreachedCopy]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessions", &sessions, .count, "how many sessions were removed")
        m("events", &events, .count, "how many events were removed")
        m(
            "delivered", &delivered,
            """
            the destinations that have received some of it, and keep it: ask there for its removal
            """)
        m(
            "unreached", &unreached,
            """
            places that may still have some of it: a destination by its kind (`fleet`: the hub, which receives the clear and \
            follows it if it is set to), or `form`: the server of the form of that name
            """)
    }
}

/// Who may have some of what was cleared.
package struct UnreachedCopy: WireObject {
    package var kind = ""
    package var name = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind)
        m("name", &name)
    }
}

/// The number of a record.
package struct RecordPlace: WireObject {
    package var seq: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("seq", &seq, .count)
    }
}

/// The params of the notification `subscription.closed`.
package struct SubscriptionEnd: WireObject {
    package var reason = ""
    package var message = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("reason", &reason, .oneOf(ErrorReason.allCases.map(\.rawValue)))
        m("message", &message)
    }
}

/// Who sends a record, and under which number.
package struct ProducerInfo: WireObject {
    package var id = ""
    package var seq: Int64 = 1

    package init() {}

    package init(_ id: String, _ seq: Int64) { (self.id, self.seq) = (id, seq) }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id, "the sender: 1 to 128 bytes")
        m("seq", &seq, .producerSeq, "grows with each send of that producer")
    }
}

extension MemberType<Int64> {
    package static var producerSeq: MemberType { .integer(in: 1 ... .max) }
}

/// The result of `subscription.cancel`.
package struct SubscriptionCancelled: WireObject {
    package var cancelled = true

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("cancelled", &cancelled, "true; nothing of the subscription comes after this reply")
    }
}
