import HarkClient
import HarkWire

/// A query for events or log entries: the filters of `event.list` and `log.list`, and the paging.
struct EventQuery {
    var kind = RecordListKind.events
    var scope = RecordScope.all
    var app: String?
    var machines = MachineScope()
    /// Whether records of machines are read as those machines give them.
    var asRecorded = false
    var name: String?
    /// A condition as JSON: a string or an object.
    var condition: [UInt8]?
    /// The lowest severity of log entries.
    var level: String?
    var since: Timestamp?
    var until: Timestamp?
    var after: Int64?

    /// The page size, the daemon's maximum; the daemon ends a page earlier if it gets large.
    private static let page: Int64 = 10_000

    /// Calls `body` with the exact archive line of each event, oldest first, up to `limit` events.
    func forEachLine(
        _ connection: inout Connection, limit: Int64? = nil, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        var query = self
        var left = limit ?? .max
        var request = try query.request(&connection, .oldest(min(left, Self.page), after: query.after))
        while true {
            let result = try connection.result(of: request)
            let page = result.page(of: kind.member, next: "nextAfterSeq")
            left -= Int64(page.elements.count)
            query.after = left > 0 ? page.next?.int : nil
            // The daemon reads the next page while this one is processed.
            if query.after != nil {
                request = try query.request(&connection, .oldest(min(left, Self.page), after: query.after))
            }
            for element in page.elements { try body(result.bytes[element]) }
            if query.after == nil { return }
        }
    }

    /// Returns the newest events, oldest first. Ignores `after`.
    func newest(_ count: Int64, _ connection: inout Connection) throws -> [ArraySlice<UInt8>] {
        var before: Int64?
        var lines: [ArraySlice<UInt8>] = []
        while Int64(lines.count) < count {
            let left = min(count - Int64(lines.count), Self.page)
            let request = try request(&connection, .newest(left, before: before))
            let result = try connection.result(of: request)
            let page = result.page(of: kind.member, next: "nextAfterSeq")
            lines += page.elements.map { result.bytes[$0] }
            guard let next = page.next?.int else { break }
            before = next
        }
        return lines.reversed()
    }

    /// Requests a page as JSON objects: the daemon writes each as the archive has it, so nothing needs unescaping.
    private func request(
        _ connection: inout Connection, _ page: RecordPaging
    ) throws(ClientError) -> Int64 {
        var page = page
        (page.since, page.until, page.form) = (since, until, .objects)
        switch kind {
        case .events:
            var request = EventList(page)
            (request.filter, request.machines) = (events, machines.choice)
            request.asRecorded = asRecorded ? true : nil
            return try connection.submit(request)
        case .logs:
            var request = LogList(page)
            request.filter = entries
            return try connection.submit(request)
        }
    }

    /// Which events are meant.
    var events: EventFilter {
        var filter = EventFilter()
        (filter.session, filter.user, filter.app, filter.name) = (scope.session, scope.user, app, name)
        filter.condition = condition.map { AnyJSON(text: $0) }
        return filter
    }

    /// Which log entries are meant.
    private var entries: LogFilter {
        var filter = LogFilter()
        (filter.session, filter.user, filter.app) = (scope.session, scope.user, app)
        (filter.level, filter.machines) = (level, machines.choice)
        return filter
    }

    /// Starts the stream of the records after a number.
    func subscribe(_ connection: inout Connection, after number: Int64) throws(ClientError) -> JSONText {
        switch kind {
        case .events:
            var request = EventSubscribe()
            (request.filter, request.machines, request.afterSeq) = (events, machines.choice, number)
            request.include = [StreamContent.events.rawValue]
            return try connection.call(request).text
        case .logs:
            var request = LogSubscribe()
            (request.filter, request.afterSeq) = (entries, number)
            return try connection.call(request).text
        }
    }
}

extension RecordListKind {
    /// The stream's notification.
    var notification: NotificationShape { self == .events ? .eventRecorded : .logWritten }

    /// Returns the record that a notification tells of.
    func told(in params: JSONText) -> JSONText {
        self == .events ? ToldEvent(params).event.json : ToldEntry(params).entry.json
    }
}
