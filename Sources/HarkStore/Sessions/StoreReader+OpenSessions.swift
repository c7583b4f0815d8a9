package import HarkCore
package import HarkWire

/// A current session, and the time of its newest record.
package struct OpenSession: Sendable {
    package let place: Scope
    package let session: SessionIdentity
    package let lastAt: Timestamp
}

extension StoreReader {
    /// A page of the current sessions, sorted by scope, after a scope.
    package func openSessions(after place: Scope?, limit: Int) throws(StoreError) -> [OpenSession] {
        let statement = try database.prepare(
            """
            SELECT \(StoreReader.sessionColumns), c.app FROM current c JOIN session s ON s.row = c.session
            WHERE s.removed = 0 AND (c.uid, c.app) > (?, ?) ORDER BY c.uid, c.app LIMIT ?
            """
        ).bind(1, place.map { Int64($0.uid) } ?? -1).bind(2, place?.placeName ?? "").bind(3, Int64(limit))
        var found: [(place: Scope, session: SessionIdentity)] = []
        while try statement.step() {
            let session = try session(in: statement).identity
            let name = statement.text(StoreReader.columnsOfSession) ?? ""
            found.append((Scope(uid: session.scope.uid, placeName: name), session))
        }
        var open: [OpenSession] = []
        for (place, session) in found {
            open.append(OpenSession(place: place, session: session, lastAt: try lastArrival(in: session)))
        }
        return open
    }

    /// When the newest record of a session arrived.
    package func lastArrival(in session: SessionIdentity) throws(StoreError) -> Timestamp {
        var query = RecordQuery(limit: 1)
        query.session = session.id
        query.kinds = .all
        query.descending = true
        var last = session.startedAt
        _ = try forEachRecord(query) { _, record in
            last = record.id.time ?? record.at
            return false
        }
        return last
    }
}
