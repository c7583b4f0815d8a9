import HarkClient
import HarkWire

/// `hark events --follow` and `hark logs --follow`: print earlier records, then new ones, across restarts of the
/// daemon.
struct EventFollower {
    private let query: EventQuery
    private let printer: EventPrinter
    private let console: Console
    /// Every event up to this `seq` was printed or does not pass the filters.
    private var position: Int64 = 0

    init(_ query: EventQuery, _ printer: EventPrinter, _ console: Console) {
        self.query = query
        self.printer = printer
        self.console = console
    }

    /// - Parameter newest: The number of earlier events to show if no filter sets a start.
    mutating func run(_ first: consuming Connection, newest: Int64) throws {
        var connection = first
        try showHistory(&connection, newest)
        try StreamFollower(console: console).follow(connection, { try subscribe(&$0) }, { try take($0, $1) })
    }

    /// Prints earlier events. The stream starts after the last one printed, or after the event that was the newest of
    /// all before the list was read if that is later, so that no event falls in between.
    private mutating func showHistory(_ connection: inout Connection, _ newest: Int64) throws {
        let newestOfAll = try EventQuery(kind: query.kind).newest(1, &connection).last.flatMap {
            RecordPlace(JSONText($0)).seq
        }
        if query.since != nil || query.after != nil {
            try query.forEachLine(&connection) { try show(JSONText($0)) }
        } else {
            for line in try query.newest(newest, &connection) { try show(JSONText(line)) }
        }
        position = max(newestOfAll ?? 0, position)
        try console.flush()
    }

    private mutating func show(_ record: JSONText) throws {
        try printer.print(record)
        position = max(position, RecordPlace(record).seq)
    }

    private mutating func take(_ method: String?, _ params: JSONText) throws {
        switch method {
        case query.kind.notification.name:
            let record = query.kind.told(in: params)
            if RecordPlace(record).seq > position { try show(record) }
        case NotificationShape.subscriptionClosed.name:
            let end = SubscriptionEnd(params)
            throw ClientError(.disconnected, end.message, reason: end.reason)
        default: break
        }
    }

    private func subscribe(_ connection: inout Connection) throws -> JSONText {
        try query.subscribe(&connection, after: position)
    }
}
