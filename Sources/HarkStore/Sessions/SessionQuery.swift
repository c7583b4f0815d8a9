package import HarkCore
package import HarkWire

/// A selection of users; nil in a query means all of them.
package enum UserFilter: Sendable, Equatable {
    /// nil means all anonymous users.
    case user(String?)
}

/// The position of a session in a list, sorted by start and then by insertion into the store.
///
/// Neither changes. So a list that continues from a position misses and repeats no earlier session, even if others are
/// added or imported meanwhile.
package struct SessionCursor: Sendable, Equatable, LosslessStringConvertible {
    package let startedAt: Timestamp
    package let row: Int64

    package init(startedAt: Timestamp, row: Int64) {
        self.startedAt = startedAt
        self.row = row
    }

    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let started = parts[0], let row = parts[1] else { return nil }
        self.init(startedAt: Timestamp(milliseconds: started), row: row)
    }

    package var description: String { "\(startedAt.milliseconds).\(row)" }
}

/// A query for a page of sessions.
package struct SessionQuery: Sendable {
    package var uid: UInt32?
    package var user: UserFilter?
    package var app: String?
    package var machines: MachineFilter?
    package var onlyCurrent = false
    package var descending = false
    /// Only sessions after (or, descending, before) this position.
    package var after: SessionCursor?
    package var limit: Int
    /// The size of the sessions' metadata at which the page ends, in bytes.
    package var maxBytes = 1 << 20

    package init(limit: Int) { self.limit = limit }
}

extension StoreReader {
    /// A page of sessions with their event counts, and the position after which to continue; nil on the last page.
    package typealias SessionPage = (sessions: [(session: Session, events: Int)], next: SessionCursor?)

    /// The sessions of a query in the order of their starts, imported ones included.
    package func sessions(_ query: SessionQuery) throws(StoreError) -> SessionPage {
        var conditions = ["s.removed = 0", "s.implicit < 2"]
        if query.uid != nil { conditions.append("s.uid = ?1") }
        if query.user != nil { conditions.append("s.user IS ?2") }
        if query.app != nil { conditions.append("s.app = ?3") }
        let machines = query.machines.map(MachineCondition.init)
        // Few sessions are found by uid and sorted; many are read in order.
        let isFew = try condition(on: query.machines) != nil
        if let machines { conditions.append(machines.sql(on: isFew ? "s.uid" : "+s.uid")) }
        if query.onlyCurrent { conditions.append("s.row IN (SELECT session FROM current)") }
        if query.after != nil { conditions.append("(s.started, s.row) \(query.descending ? "<" : ">") (?4, ?5)") }
        let direction = query.descending ? "DESC" : "ASC"
        let statement = try database.prepare(
            """
            WITH newest(session, events) AS MATERIALIZED
                (SELECT session, sum(events) FROM block WHERE \(SessionIndex.isNewest) GROUP BY session)
            SELECT \(StoreReader.sessionColumns), coalesce((SELECT sum(events) FROM session_block WHERE session = s.row), 0)
                + coalesce((SELECT events FROM newest WHERE session = s.row), 0)
            FROM session s \(isFew ? "INDEXED BY session_by_user" : "") WHERE \(conditions.joined(separator: " AND "))
            ORDER BY s.started \(direction), s.row \(direction) LIMIT ?6
            """)
        machines?.bind(to: statement)
        if let uid = query.uid { statement.bind(1, Int64(uid)) }
        if case .user(let userId) = query.user { statement.bind(2, userId) }
        if let app = query.app { statement.bind(3, app) }
        if let place = query.after { statement.bind(4, place.startedAt.milliseconds).bind(5, place.row) }
        // One more row than wanted shows whether there is a next page.
        statement.bind(6, Int64(query.limit) + 1)
        var found: [(session: Session, events: Int)] = []
        var bytes = 0
        while try statement.step() {
            if let last = found.last?.session.identity, found.count == query.limit || bytes > query.maxBytes {
                return (found, SessionCursor(startedAt: last.startedAt, row: last.row))
            }
            guard let session = try listed(in: statement) else { continue }
            bytes += session.identity.metadata.byteCount
            found.append((session, statement.tally(StoreReader.columnsOfSession)))
        }
        return (found, nil)
    }
}
