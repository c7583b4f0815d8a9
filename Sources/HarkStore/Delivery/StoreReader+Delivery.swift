package import HarkCore
package import HarkWire

/// Reads destinations, dead letters and records for delivery.
extension StoreReader {
    /// The cursor and state of a destination's queue; nil if it is unknown.
    package func destination(_ name: String) throws(StoreError) -> (cursor: UInt64, state: Properties)? {
        try database.prepare("SELECT cursor, state FROM destination WHERE name = ?").bind(1, name)
            .first { row throws(StoreError) in (try row.sequence(0), Properties(bytes: row.bytes(1))) }
    }

    /// A stored text of the daemon's own.
    package func meta(_ key: String) throws(StoreError) -> String? {
        try database.prepare("SELECT value FROM meta WHERE key = ?").bind(1, key).first { $0.text(0) }
    }

    /// When the newest session or record was stored, by the clock at that time; nil in an empty store.
    package func newestTime() throws(StoreError) -> Timestamp? {
        try database.integer(
            """
            SELECT max(value) FROM (
                SELECT max(started) AS value FROM session
                UNION ALL
                SELECT max(latest) FROM block WHERE first >= (SELECT batch FROM block ORDER BY first DESC LIMIT 1))
            """
        ).map { Timestamp(milliseconds: $0) }
    }

    /// The number of dead letters per destination.
    package func deadLetterCounts() throws(StoreError) -> [String: Int] {
        let counts = try database.prepare("SELECT destination, count(*) FROM deadLetter GROUP BY destination")
            .all { row throws(StoreError) in (row.text(0) ?? "", try row.count(1)) }
        return Dictionary(counts) { $1 }
    }

    /// A page of dead letters in the order of their numbers.
    /// - Parameters:
    ///   - destination: nil for all, sorted by destination.
    ///   - sequence: only letters with a higher number.
    ///   - place: only letters after this one.
    ///   - onlyDue: only letters marked for a retry.
    package func deadLetters(
        of destination: String?, lane: String? = nil, above sequence: UInt64 = 0,
        after place: (destination: String, sequence: UInt64)? = nil, onlyDue: Bool = false, limit: Int
    ) throws(StoreError) -> [DeadLetter] {
        let statement = try database.prepare(
            """
            \(DeadLetterTable.selection)
            WHERE sequence > ?1\(destination == nil ? "" : " AND destination = ?3")
                \(place == nil ? "" : "AND (destination, sequence) > (?5, ?6)")
                \(lane == nil ? "" : "AND lane = ?4") \(onlyDue ? "AND replays < 0" : "")
            ORDER BY destination, sequence LIMIT ?2
            """
        ).bind(1, Int64(clamping: sequence)).bind(2, Int64(limit))
        if let destination { statement.bind(3, destination) }
        if let lane { statement.bind(4, lane) }
        if let place { statement.bind(5, place.destination).bind(6, Int64(clamping: place.sequence)) }
        return try DeadLetterTable.all(statement)
    }

    /// The number of a destination's dead letters among given numbers; nil for all.
    package func countDeadLetters(of destination: String, among numbers: [UInt64]?) throws(StoreError) -> Int {
        guard let numbers else { return try deadLetterCounts()[destination] ?? 0 }
        let statement = try database.prepare(
            "SELECT count(*) FROM deadLetter WHERE destination = ? AND sequence IN (SELECT value FROM json_each(?))")
        statement.bind(1, destination).bind(2, "[\(numbers.map(String.init).joined(separator: ","))]")
        return try statement.step() ? try statement.count(0) : 0
    }

    /// The numbers of a destination's dead letters whose records are in a session.
    package func deadLetters(of destination: String, session row: Int64) throws(StoreError) -> Set<UInt64> {
        let statement = try database.prepare(
            "SELECT sequence FROM deadLetter WHERE session = ? AND destination = ? AND sequence > 0"
        )
        .bind(1, row).bind(2, destination)
        return Set(try statement.all { row throws(StoreError) in try row.sequence(0) })
    }

    /// The record with this number, unless it was removed.
    package func record(_ sequence: UInt64) throws(StoreError) -> Record? {
        guard sequence > 0 else { return nil }
        var query = RecordQuery(limit: 1)
        query.kinds = .all
        query.from = sequence - 1
        var found: Record?
        _ = try forEachRecord(query) { session, view in
            if view.sequence == sequence { found = Record(view, of: session) }
            return false
        }
        return found
    }

    /// Looks up a session, at most once, including one that is being removed; nil if it is gone.
    package typealias SessionLookup = () throws(StoreError) -> SessionIdentity?

    private func lookup(row: Int64) -> SessionLookup {
        var known: SessionIdentity?
        return { [database, machines, unreadable] () throws(StoreError) in
            if let known { return known }
            known = try database.prepare("SELECT \(StoreReader.sessionColumns) FROM session s WHERE s.row = ?")
                .bind(1, row).first { row throws(StoreError) in
                    try StoreReader.session(in: row, machines, unreadable).identity
                }
            return known
        }
    }

    /// Counts the wanted records after `sequence` and up to `last`, those of sessions being removed included;
    /// `isWanted` gets the row of the session and a function that looks it up.
    package func countRecords(
        after sequence: UInt64, upTo last: UInt64,
        _ isWanted: (Int64, RecordView, SessionLookup) throws(StoreError) -> Bool
    ) throws(StoreError) -> Int {
        let begin = try batch(before: Int64(clamping: sequence))
        guard begin <= Int64(clamping: last) else { return 0 }
        var blocks = try BlockWalk(database, unreadable)
        blocks.begin(begin...Int64(clamping: last))
        defer { blocks.row.reset() }
        var count = 0
        while try blocks.step() {
            let row = blocks.row.integer(1)
            let session = lookup(row: row)
            try forEachRecord(in: blocks.row) { view throws(StoreError) in
                if view.sequence > sequence, view.sequence <= last, try isWanted(row, view, session) { count += 1 }
            }
        }
        return count
    }

    /// The rows of sessions that are marked as removed and not deleted yet.
    package func removedSessionRows() throws(StoreError) -> Set<Int64> {
        Set(try database.prepare("SELECT row FROM session WHERE \(Schema.isRemoved)").all { $0.integer(0) })
    }

    /// Calls `body` for the records after `sequence` and up to `last` in sessions being removed, which queries no
    /// longer return; in no particular order of sessions. `body` gets the row of the session and a function that looks
    /// it up.
    package func forEachRemovedRecord(
        after sequence: UInt64, upTo last: UInt64, _ body: (Int64, RecordView, SessionLookup) throws(StoreError) -> Void
    ) throws(StoreError) {
        let removed = try removedSessionRows()
        guard !removed.isEmpty else { return }
        let statement = try database.prepare(
            """
            SELECT \(BlockWalk.columns) FROM block
            WHERE first BETWEEN ?1 AND ?5 AND last > ?2
                AND first IN (SELECT first FROM block_of_session
                    WHERE session IN (SELECT row FROM session WHERE \(Schema.isRemoved)))
            ORDER BY first
            """
        ).bind(2, Int64(clamping: sequence))
        try forEachBlock(statement, upTo: Int64(clamping: last)) { block throws(StoreError) in
            let row = block.integer(1)
            guard removed.contains(row) else { return }
            let session = lookup(row: row)
            try forEachRecord(in: block) { view throws(StoreError) in
                if view.sequence > sequence, view.sequence <= last { try body(row, view, session) }
            }
        }
    }

    /// Calls `body` for the records of a session being removed, which queries no longer return.
    package func forEachRecord(
        ofRemoved session: SessionIdentity, _ body: (RecordView) -> Void
    ) throws(StoreError) {
        let statement = try database.prepare(
            """
            SELECT \(BlockWalk.columns) FROM block WHERE first BETWEEN ?1 AND ?5
                AND first IN (SELECT first FROM block_of_session WHERE session = ?2) ORDER BY first
            """
        ).bind(2, session.row)
        try forEachBlock(statement) { block throws(StoreError) in
            guard block.integer(1) == session.row else { return }
            try forEachRecord(in: block) { view throws(StoreError) in body(view) }
        }
    }

    private func forEachBlock(
        _ statement: Statement, upTo last: Int64 = .max, _ body: (Statement) throws(StoreError) -> Void
    ) throws(StoreError) {
        var blocks = BlockWalk(database, unreadable, statement) { [database] () throws(StoreError) in
            try database.prepare("SELECT \(BlockWalk.columns) FROM block WHERE first BETWEEN ?1 AND ?5 ORDER BY first")
        }
        blocks.begin(min(0, last)...last)
        defer { blocks.row.reset() }
        while try blocks.step() { try body(blocks.row) }
    }

    /// Calls `body` for the records of a block; an unreadable block is noted.
    private func forEachRecord(
        in block: Statement, _ body: (RecordView) throws(StoreError) -> Void
    ) throws(StoreError) {
        let data = block.bytes(2)
        try data.withUnsafeBufferPointer { bytes throws(StoreError) in
            guard StoreReader.isWhole(bytes, block), var reader = BlockReader(bytes) else {
                return unreadable.note(block: block)
            }
            while let view = reader.next() { try body(view) }
            if reader.isDamaged { unreadable.note(block: block) }
        }
    }
}
