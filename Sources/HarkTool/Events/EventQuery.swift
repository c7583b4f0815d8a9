import HarkClient
import HarkWire

/// A query for events or log entries: the filters of `event.list` and `log.list`, and the paging.
struct EventQuery {
    /// The kind of records to read. The methods for both have the same shape.
    enum Kind {
        case events, logs

        var list: MethodShape { self == .events ? .eventList : .logList }
        var subscribe: MethodShape { self == .events ? .eventSubscribe : .logSubscribe }
        /// The member of a page that holds the records.
        var member: StaticString { self == .events ? "events" : "entries" }
        /// The stream's notification.
        var notification: NotificationShape { self == .events ? .eventRecorded : .logWritten }

        /// Returns the record in a notification.
        func told(in params: JSONText) -> JSONText {
            self == .events ? ToldEvent(params).event.json : ToldEntry(params).entry.json
        }
    }

    var kind = Kind.events
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
        var request = try query.request(&connection, limit: min(left, Self.page), from: .afterSeq, query.after)
        while true {
            let result = try connection.result(of: request)
            let page = result.page(of: kind.member, next: "nextAfterSeq")
            left -= Int64(page.elements.count)
            query.after = left > 0 ? page.next?.int : nil
            // The daemon reads the next page while this one is processed.
            if query.after != nil {
                request = try query.request(&connection, limit: min(left, Self.page), from: .afterSeq, query.after)
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
            let request = try request(&connection, limit: left, from: .beforeSeq, before)
            let result = try connection.result(of: request)
            let page = result.page(of: kind.member, next: "nextAfterSeq")
            lines += page.elements.map { result.bytes[$0] }
            guard let next = page.next?.int else { break }
            before = next
        }
        return lines.reversed()
    }

    /// Requests a page as JSON objects: the daemon writes each as the archive has it, so nothing needs unescaping.
    ///
    /// - Parameter place: Where the page starts; nil for the very beginning.
    private func request(
        _ connection: inout Connection, limit: Int64, from parameter: Parameter<Int64>, _ place: Int64?
    ) throws(ClientError) -> Int64 {
        let params = JSONWriter.object { params in
            append(to: &params)
            params.member(.since, since)
            params.member(.until, until)
            params.member(.recordLimit, limit)
            params.member(.recordForm, RecordForm.objects.rawValue)
            if asRecorded { params.member(.asRecorded, true) }
            if parameter.name == Parameter<Int64>.beforeSeq.name {
                params.member(.recordOrder, ListOrder.desc.rawValue)
            }
            params.member(parameter, place)
        }
        return try connection.submit(kind.list.name, params)
    }

    /// Writes the members that a list and a stream share.
    func append(to params: inout JSONWriter) {
        scope.append(to: &params)
        params.member(.onlyApp, app)
        machines.append(to: &params)
        params.member(.onlyEvents, name)
        if let condition { params.member(.onlyWhere, raw: condition) }
        params.member(.atLeast, level)
    }
}
