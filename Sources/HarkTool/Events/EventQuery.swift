import HarkClient
import HarkWire

/// Which events or log entries to read: the filters that `event.list` and `log.list` know, and the way through their pages.
struct EventQuery {
    /// What is read. The methods for both have the same shape.
    enum Kind {
        case events, logs

        var list: MethodShape { self == .events ? .eventList : .logList }
        var subscribe: MethodShape { self == .events ? .eventSubscribe : .logSubscribe }
        /// The member of a page that holds what was recorded.
        var member: StaticString { self == .events ? "events" : "entries" }
        /// The stream's notification, and the member of it that holds what was recorded.
        var notification: (shape: NotificationShape, member: StaticString) {
            self == .events ? (.eventRecorded, "event") : (.logWritten, "entry")
        }
    }

    var kind = Kind.events
    var scope = RecordScope.all
    var app: String?
    var machines = MachineScope()
    /// What comes from machines, as they tell it themselves.
    var asRecorded = false
    var name: String?
    /// A condition as JSON, as text or as an object.
    var condition: [UInt8]?
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
        var request = try query.request(&connection, limit: min(left, Self.page), from: .afterSeq, query.after)
        while true {
            let result = try connection.result(of: request)
            let page = result.page(of: kind.member, next: "nextAfterSeq")
            left -= Int64(page.elements.count)
            query.after = left > 0 ? page.next?.int : nil
            // The daemon reads the next page while this one is dealt with.
            if query.after != nil {
                request = try query.request(&connection, limit: min(left, Self.page), from: .afterSeq, query.after)
            }
            for element in page.elements { try body(result.bytes[element]) }
            if query.after == nil { return }
        }
    }

    /// The newest events, oldest of them first; `after` plays no part.
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

    /// Asks for a page. As objects, the daemon writes each as the archive has it, and nothing is to be unescaped.
    ///
    /// - Parameter place: where the page begins; nil: at the very beginning.
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

    /// Writes the members that a list and a stream have in common.
    func append(to params: inout JSONWriter) {
        scope.append(to: &params)
        params.member(.onlyApp, app)
        machines.append(to: &params)
        params.member(.onlyEvents, name)
        if let condition { params.member(.onlyWhere, raw: condition) }
        params.member(.atLeast, level)
    }
}
