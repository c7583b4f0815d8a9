package import HarkCore
internal import HarkWire

/// Whose records are meant; nil in a query means everybody's.
package enum UserFilter: Sendable, Equatable {
    /// nil is everybody anonymous.
    case user(String?)
}

/// Which sessions to list, a page at a time.
package struct SessionQuery: Sendable {
    package var uid: UInt32?
    package var user: UserFilter?
    package var app: String?
    package var onlyCurrent = false
    package var descending = false
    /// Sessions after (or, descending, before) this row.
    package var afterRow: Int64?
    package var limit: Int
    /// The page also ends when its sessions have so much metadata.
    package var maxBytes = 1 << 20

    package init(limit: Int) { self.limit = limit }
}

extension StoreReader {
    /// A page of sessions with their event counts, and the row after which the next page goes on; nil on the last.
    package typealias SessionPage = (sessions: [(session: Session, events: Int)], next: Int64?)

    /// The sessions of a query in the order in which they came to the store.
    package func sessions(_ query: SessionQuery) throws(StoreError) -> SessionPage {
        var conditions = ["s.removed = 0", "s.implicit < 2"]
        if query.uid != nil { conditions.append("s.uid = ?1") }
        if query.user != nil { conditions.append("s.user IS ?2") }
        if query.app != nil { conditions.append("s.app = ?3") }
        if query.onlyCurrent { conditions.append("s.row IN (SELECT session FROM current)") }
        if query.afterRow != nil { conditions.append(query.descending ? "s.row < ?4" : "s.row > ?4") }
        let statement = try database.prepare(
            """
            SELECT \(StoreReader.sessionColumns), (SELECT sum(events) FROM block WHERE session = s.row)
            FROM session s WHERE \(conditions.joined(separator: " AND "))
            ORDER BY s.row \(query.descending ? "DESC" : "ASC") LIMIT ?5
            """)
        if let uid = query.uid { statement.bind(1, Int64(uid)) }
        if case .user(let userId) = query.user { statement.bind(2, userId) }
        if let app = query.app { statement.bind(3, app) }
        if let row = query.afterRow { statement.bind(4, row) }
        // One more than wanted tells whether there is a next page.
        statement.bind(5, Int64(query.limit) + 1)
        var found: [(session: Session, events: Int)] = []
        var bytes = 0
        while try statement.step() {
            if let last = found.last, found.count == query.limit || bytes > query.maxBytes {
                return (found, last.session.identity.row)
            }
            let session = session(in: statement)
            bytes += session.identity.metadata.bytes.count
            found.append((session, Int(statement.integer(9))))
        }
        return (found, nil)
    }
}
