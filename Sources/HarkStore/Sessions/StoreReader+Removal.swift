package import HarkCore
package import HarkWire

/// Reads the data that a removal covers.
extension StoreReader {
    /// Visible sessions after a row, in the order of insertion.
    package func sessions(afterRow row: Int64, limit: Int) throws(StoreError) -> [Session] {
        let statement = try database.prepare(
            """
            SELECT \(StoreReader.sessionColumns) FROM session s
            WHERE s.row > ? AND s.removed = 0 AND s.implicit < 2 ORDER BY s.row LIMIT ?
            """
        ).bind(1, row).bind(2, Int64(limit))
        return try statement.all { row throws(StoreError) in try listed(in: row) }
    }

    /// The rows of at most `limit` unmarked sessions covered by a selection.
    package func sessions(of selection: Selection, limit: Int) throws(StoreError) -> [Int64] {
        try DoomedSessions(database).rows(of: selection, limit: limit)
    }

    /// The key prefix in `meta` of clears that are not fully marked yet.
    static let clearPrefix = "clear:"

    /// The clears that are not fully marked yet.
    package func unfinishedClears() throws(StoreError) -> [Selection] {
        let statement = try database.prepare("SELECT key FROM meta WHERE key GLOB ?")
            .bind(1, StoreReader.clearPrefix + "*")
        var found: [Selection] = []
        while try statement.step() {
            let packed = (statement.text(0) ?? "").dropFirst(StoreReader.clearPrefix.count)
            if let selection = Selection(packed: String(packed)) { found.append(selection) }
        }
        return found
    }

    /// The rows of the sessions that a policy no longer keeps, by the rule that removes them.
    ///
    /// - Returns: also how far the store will still exceed its limit without them, in bytes.
    package func sessions(
        beyond policy: RetentionPolicy, of scope: RetentionScope, now: Timestamp
    ) throws(StoreError) -> (rows: [RetentionRule: [Int64]], excess: Int64) {
        let found = try DoomedSessions(database).rows(beyond: policy, of: scope, now: now, limit: .max)
        return (found.rows, found.excess)
    }

    /// The counts that marking these sessions would report.
    package func preview(_ rows: [Int64]) throws(StoreError) -> CommitReport.Marked {
        let session = try database.prepare("SELECT implicit FROM session WHERE row = ? AND removed = 0")
        let events = try SessionSums.events(database)
        var marked = CommitReport.Marked()
        for row in rows {
            session.reset()
            guard try session.bind(1, row).step(), session.integer(0) < 2 else { continue }
            marked.sessions += 1
            marked.events += try events.of(row)
        }
        return marked
    }
}
