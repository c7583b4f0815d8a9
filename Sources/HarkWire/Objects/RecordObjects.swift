/// The process that recorded something.
package struct SourceInfo: WireObject {
    package var uid: Int64 = 0
    package var pid: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("uid", &uid, .uid)
        m("pid", &pid, .whole)
    }
}

/// The origin of a record that a hub has from a machine.
package struct OriginInfo: WireObject {
    package var machine = ""
    package var group: String?
    package var seq: Int64 = 0

    package init() {}

    package static var title: String? { "Origin" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("machine", &machine, "the machine's name")
        m("group", &group, "unless it is in none")
        m("seq", &seq, .count, "the number it has there")
    }
}

/// An event. Lists and streams of events are written by hand, as there may be millions.
package struct EventInfo: WireObject {
    package var id = Identifier(high: 0, low: 0)
    package var seq: Int64 = 0
    package var name = ""
    package var timestamp = Timestamp.earliest
    package var sessionId = Identifier(high: 0, low: 0)
    package var userId: String?
    package var properties = AnyJSON(.null)
    package var source = SourceInfo()
    package var origin: OriginInfo?

    package init() {}

    package static var title: String? { "Event" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("seq", &seq, .count)
        m("name", &name)
        m("timestamp", &timestamp)
        m("sessionId", &sessionId)
        m("userId", &userId, "unless anonymous")
        m("properties", &properties, .shaped(.properties))
        m("source", &source)
        m("origin", &origin, "on a hub, of what comes from a machine")
    }
}

/// A log entry.
package struct LogEntryInfo: WireObject {
    package var id = Identifier(high: 0, low: 0)
    package var seq: Int64 = 0
    package var timestamp = Timestamp.earliest
    package var sessionId = Identifier(high: 0, low: 0)
    package var level = ""
    package var message = ""
    package var userId = ""
    package var metadata = AnyJSON(.null)
    package var source: SourceInfo?
    package var origin: OriginInfo?

    package init() {}

    package static var title: String? { "LogEntry" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("id", &id)
        m("seq", &seq, .count)
        m("timestamp", &timestamp)
        m("sessionId", &sessionId)
        m("level", &level, .oneOf(LogLevel.allCases.map(\.rawValue)))
        m("message", &message)
        m("userId", &userId, "the user it is about")
        m("metadata", &metadata, .shaped(.properties))
        m("source", &source, "of log.list and log.subscribe")
        m("origin", &origin, "on a hub, of what comes from a machine")
    }
}

/// A record as sent to webhooks.
package struct RecordInfo: WireObject {
    package var kind = ""
    package var app = ""
    package var event: EventInfo?
    package var seq: Int64?
    package var session: SessionInfo?
    package var log: LogEntryInfo?
    package var form: AnyJSON?
    package var profile: AnyJSON?
    package var presentation: AnyJSON?
    package var clear: AnyJSON?

    package init() {}

    package static var title: String? { "Record" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind, .oneOf(RecordWord.allCases.map(\.rawValue)))
        m("app", &app)
        m("event", &event)
        m("seq", &seq, .count)
        m("session", &session)
        m("log", &log)
        m("form", &form, .objectValue)
        m("profile", &profile, .objectValue)
        m("presentation", &presentation, .objectValue)
        m("clear", &clear, .objectValue)
    }
}
