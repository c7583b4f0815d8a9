/// The params of `log.*`.

package struct LogWrite: WireMethod {
    package typealias Result = WrittenLine
    package static let name = "log.write"

    package var message = ""
    /// A word of `LogLevel`.
    package var level: String?
    package var userId: String?
    package var metadata: AnyJSON?
    package var app: String?
    package var unattended: Bool?
    package var timestamp: Timestamp?
    package var producer: AnyJSON?
    package var confirm: Bool?
    package var destination: String?

    package init() {}

    /// The level that is meant.
    package var gravity: LogLevel { level.flatMap(LogLevel.init) ?? .info }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("message", &message, "longer than 5000 characters, it is cut and ends in `...`")
        m("level", &level, .raw(LogLevel.self), "`info` (default), `warning`, `error` or `messages`")
        m("userId", &userId, "the user it is about")
        m(
            "metadata", &metadata, .anObject(.object),
            "names and primitive values; other values are left out, and their names are in the reply")
        m.whichApp(&app)
        m.unattended(&unattended)
        m("timestamp", &timestamp, "the time of the line; without it, now")
        m.producer(&producer)
        m("confirm", &confirm, "true: the reply waits for a server")
        m(
            "destination", &destination,
            "with `confirm`: the destination to wait for; without it, the first SensorCore, else the first that takes logs"
        )
    }
}

package struct LogList: WireMethod {
    package typealias Result = LogPage
    package static let name = "log.list"

    package var filter = LogFilter()
    package var page = RecordPaging()

    package init() {}

    package init(_ page: RecordPaging) { self.page = page }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        filter.map(&m)
        page.map(&m)
    }
}

package struct LogSubscribe: WireMethod {
    package typealias Result = RecordStreamInfo
    package static let name = "log.subscribe"
    package static var notifications: [NotificationShape] { [.logWritten] }

    package var filter = LogFilter()
    package var afterSeq: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        filter.map(&m)
        m.resumeAfter(&afterSeq)
    }
}

package struct LogDevice: WireMethod {
    package typealias Result = DeviceResult
    package static let name = "log.device"

    package var reset: Bool?

    package init() {}

    package init(reset: Bool?) { self.reset = reset }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("reset", &reset, "true: a new id takes its place from now on")
    }
}

extension NotificationShape {
    package static let logWritten = NotificationShape("log", "A line was logged", params: ToldEntry.members)
}
