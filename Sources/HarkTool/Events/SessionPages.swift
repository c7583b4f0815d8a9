import HarkClient
import HarkWire

/// A query for sessions, read page by page.
struct SessionPages {
    var scope = RecordScope.all
    var app: String?
    var machines = MachineScope()
    var openOnly = false
    var newestFirst = false

    private static let page: Int64 = 1000

    /// Calls `body` with each session, up to `limit` sessions.
    func forEach(_ connection: inout Connection, limit: Int64? = nil, _ body: (JSONText) throws -> Void) throws {
        try visit(&connection, limit: limit) { session in
            try body(session)
            return true
        }
    }

    /// Calls `body` with each session, up to `limit` sessions or until it returns false.
    func visit(_ connection: inout Connection, limit: Int64? = nil, _ body: (JSONText) throws -> Bool) throws {
        var left = limit ?? .max
        var request = SessionList()
        (request.user, request.app, request.machines) = (scope.user, app, machines.choice)
        request.current = openOnly ? true : nil
        request.order = newestFirst ? .desc : .asc
        while left > 0 {
            request.limit = min(left, Self.page)
            let page = try connection.call(request).value
            for session in page.sessions.json.elements {
                guard try body(session) else { return }
                left -= 1
            }
            request.after = page.next
            if page.next == nil { return }
        }
    }
}
