/// Which events are meant.
package struct EventFilter: WireObject, Equatable {
    package var session: String?
    /// Whether only the current session's are. A stream does not take it.
    package var current: Bool?
    package var user = UserChoice.unsaid
    package var app: String?
    package var name: String?
    package var condition: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        mapSession(&m)
        m("current", &current, "true: only the current session's (of `app`)")
        mapRest(&m)
    }

    /// Visits the members that a stream takes.
    package mutating func mapOfStream<Map: MemberMap>(_ m: inout Map) {
        mapSession(&m)
        mapRest(&m)
    }

    private mutating func mapSession<Map: MemberMap>(_ m: inout Map) {
        m("sessionId", &session, .id, "only this session's")
    }

    private mutating func mapRest<Map: MemberMap>(_ m: inout Map) {
        m.onlyUser(&user)
        m.onlyApp(&app)
        m("name", &name, "only events of this name; `*` stands for any characters")
        m(
            "where", &condition, .condition,
            "only events for which this condition holds: `amount > 50`, or the same as JSON")
    }
}

/// Which log entries are meant.
package struct LogFilter: WireObject, Equatable {
    package var session: String?
    package var user = UserChoice.unsaid
    package var app: String?
    /// A word of `LogLevel`.
    package var level: String?
    package var machines = MachineChoice()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("sessionId", &session, .id, "only those of this session")
        m("userId", &user, "only those in sessions of this user, as with a clear; null: only in anonymous sessions")
        m.onlyApp(&app)
        m(
            "level", &level, .raw(LogLevel.self),
            "only entries of this level or a more severe one: `info`, `warning` or `error`; `messages`: only those")
        machines.map(&m)
    }
}

/// The records of a list.
package enum RecordListKind: Sendable {
    case events, logs

    /// The member of a page that holds them.
    package var member: StaticString { self == .events ? "events" : "entries" }
}

/// Which page of a list of records is meant.
package struct RecordPaging: WireObject, Equatable {
    package var since: Timestamp?
    package var until: Timestamp?
    package var order: ListOrder?
    package var afterSeq: Int64?
    package var beforeSeq: Int64?
    package var limit: Int64?
    package var form: RecordForm?

    package init() {}

    /// The newest records, or those before a number.
    package static func newest(_ limit: Int64, before: Int64? = nil) -> RecordPaging {
        var page = RecordPaging()
        (page.order, page.limit, page.beforeSeq) = (.desc, limit, before)
        return page
    }

    /// The oldest records, or those after a number.
    package static func oldest(_ limit: Int64, after: Int64? = nil) -> RecordPaging {
        var page = RecordPaging()
        (page.limit, page.afterSeq) = (limit, after)
        return page
    }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m.since(&since)
        m.until(&until)
        m("order", &order, "`asc` (default): in the order in which they were received, or `desc`: the newest first")
        m("afterSeq", &afterSeq, .count, "with `asc`: only those after this number")
        m("beforeSeq", &beforeSeq, .count, "with `desc`: only those before this number")
        m("limit", &limit, .integer(in: 1...10_000), "how many a page (1000)")
        m("as", &form, "`objects` (default), or `lines`: each as a string with one line of JSON")
    }
}

extension MemberMap {
    @inline(__always)
    mutating func unattended(_ flag: inout Bool?) {
        self(
            "unattended", &flag,
            """
            true: recorded by a job and not by a person, so it belongs to no user, even while a user has a session; has no \
            effect together with `userId`
            """)
    }

    /// For methods that record repeated requests only once.
    @inline(__always)
    mutating func producer(_ producer: inout AnyJSON?) {
        self(
            "producer", &producer, .producer,
            """
            the sender's `id` (1 to 128 bytes) and its number `seq` for this record (at least 1); see \
            [Sending again](#sending-again)
            """)
    }

    @inline(__always)
    mutating func since(_ time: inout Timestamp?) {
        self("since", &time, "only those whose `timestamp` is not before this time")
    }

    @inline(__always)
    mutating func until(_ time: inout Timestamp?) {
        self("until", &time, "only those whose `timestamp` is before this time")
    }

    /// Where a stream of records begins.
    @inline(__always)
    mutating func resumeAfter(_ number: inout Int64?) {
        self("afterSeq", &number, .count, "resume after this number; without it, from now on")
    }
}

extension MemberType<JSONValue> {
    package static var eventProperties: MemberType { anObject(.properties, "an object of names and values") }

    package static var producer: MemberType { anObject(ProducerInfo.shape, "an object with 'id' and 'seq'") }

    /// A condition as people write it, or as JSON.
    package static var condition: MemberType {
        MemberType("a condition: a string or an object", .either([.string, .object])) { value in
            switch value {
            case .string, .object: value
            default: nil
            }
        }
    }
}
