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
        var cursor: String?
        while left > 0 {
            let page = try connection.call(
                .sessionList, params(limit: min(left, Self.page), after: cursor), as: SessionPage.self
            ).value
            for session in page.sessions.json.elements {
                guard try body(session) else { return }
                left -= 1
            }
            guard let next = page.next else { return }
            cursor = next
        }
    }

    private func params(limit: Int64, after cursor: String?) -> [UInt8] {
        var params = JSONWriter()
        params.beginObject()
        scope.append(to: &params)
        params.member(.onlyApp, app)
        machines.append(to: &params)
        if openOnly { params.member(.onlyCurrent, true) }
        params.member(.sessionLimit, limit)
        params.member(.sessionOrder, (newestFirst ? ListOrder.desc : .asc).rawValue)
        params.member(.after, cursor)
        params.endObject()
        return params.bytes
    }
}
