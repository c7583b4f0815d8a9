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
        var cursor: JSONText?
        while left > 0 {
            let result = try connection.call(.sessionList, params(limit: min(left, Self.page), after: cursor))
            for session in result.member("sessions")?.elements ?? [] {
                guard try body(session) else { return }
                left -= 1
            }
            guard let next = result.member("next"), !next.isNull else { return }
            cursor = next
        }
    }

    private func params(limit: Int64, after cursor: JSONText?) -> [UInt8] {
        var params = JSONWriter()
        params.beginObject()
        scope.append(to: &params)
        params.member(.onlyApp, app)
        machines.append(to: &params)
        if openOnly { params.member(.onlyCurrent, true) }
        params.member(.sessionLimit, limit)
        params.member(.sessionOrder, (newestFirst ? ListOrder.desc : .asc).rawValue)
        params.member(.after, cursor?.string)
        params.endObject()
        return params.bytes
    }
}
