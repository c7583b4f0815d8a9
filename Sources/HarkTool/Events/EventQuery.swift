import HarkClient
import HarkWire

/// Which events or log entries to read: the filters that `event.list` and `log.list` know, and the way through their pages.
struct EventQuery {
    /// What is read. The methods for both have the same shape.
    enum Kind {
        case events, logs

        var list: MethodShape { self == .events ? .eventList : .logList }
        var subscribe: MethodShape { self == .events ? .eventSubscribe : .logSubscribe }
        /// The stream's notification, and the member of it that holds what was recorded.
        var notification: (shape: NotificationShape, member: StaticString) {
            self == .events ? (.eventRecorded, "event") : (.logWritten, "entry")
        }
    }

    var kind = Kind.events
    var scope = RecordScope.all
    var app: String?
    var name: String?
    /// Of log entries, only those at least this grave.
    var level: String?
    var since: Timestamp?
    var until: Timestamp?
    var after: Int64?

    /// Events a page, the most the daemon gives; it ends a page earlier when it gets large.
    private static let page: Int64 = 10_000

    /// Calls `body` with the exact archive line of each event, oldest first, until there are no more, or `limit` came.
    func forEachLine(
        _ connection: inout Connection, limit: Int64? = nil, _ body: (ArraySlice<UInt8>) throws -> Void
    ) throws {
        var query = self
        var left = limit ?? .max
        while left > 0 {
            let result = try query.fetch(&connection, limit: min(left, Self.page)) { params in
                params.member(.afterSeq, query.after)
            }
            for line in result.member("lines")?.elements ?? [] {
                if let bytes = line.stringBytes { try body(bytes) }
                left -= 1
            }
            guard let next = result.member("nextAfterSeq")?.int else { return }
            query.after = next
        }
    }

    /// The newest events, oldest of them first; `after` plays no part.
    func newest(_ count: Int64, _ connection: inout Connection) throws -> [ArraySlice<UInt8>] {
        var before: Int64?
        var lines: [ArraySlice<UInt8>] = []
        while Int64(lines.count) < count {
            let left = min(count - Int64(lines.count), Self.page)
            let result = try fetch(&connection, limit: left) { params in
                params.member(.recordOrder, ListOrder.desc.rawValue)
                params.member(.beforeSeq, before)
            }
            lines += result.member("lines")?.elements.compactMap(\.stringBytes) ?? []
            guard let next = result.member("nextAfterSeq")?.int else { break }
            before = next
        }
        return lines.reversed()
    }

    /// - Parameter page: writes the members that say which page.
    private func fetch(
        _ connection: inout Connection, limit: Int64, page: (inout JSONWriter) -> Void
    ) throws(ClientError) -> JSONText {
        try connection.call(kind.list) { params in
            append(to: &params)
            params.member(.since, since)
            params.member(.until, until)
            params.member(.recordLimit, limit)
            params.member(.recordForm, RecordForm.lines.rawValue)
            page(&params)
        }
    }

    /// Writes the members that a list and a stream have in common.
    func append(to params: inout JSONWriter) {
        scope.append(to: &params)
        params.member(.onlyApp, app)
        params.member(.onlyEvents, name)
        params.member(.atLeast, level)
    }
}
