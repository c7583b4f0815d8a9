/// The index of blocks by session. Writing an entry per block and commit would write a page per session, so entries are
/// written for many commits at once (`SessionIndexWriter`). A search for a session also scans the newest blocks, which
/// have no entries yet.
///
/// The view `block_of_session` combines both. Do not use it when the session comes from a row of the same query, or
/// with a range: SQLite would build an index for each session, or start at the range instead of at the newest blocks.
enum SessionIndex {
    /// The key in `meta` of the last first-record number whose block has an entry.
    static let end = "blocksBySession"

    /// Blocks beyond this number were written by another program that changed the file; they never get an entry.
    static let last = Statement.largest

    /// The SQL condition for the newest blocks.
    static let isNewest = "first > \(endValue)"

    private static let endValue = "(SELECT value FROM meta WHERE key = '\(end)')"

    /// The SQL condition for the newest blocks between two numbers.
    static func isNewest(from first: String, to last: String) -> String {
        "first > max(\(first) - 1, \(endValue)) AND first <= \(last)"
    }
}

/// Sums over the blocks of sessions; the newest blocks are scanned once for all sessions.
struct SessionSums {
    private let indexed: Statement
    private let newest: [Int64: Int]

    /// Sums the number of events.
    static func events(_ database: Database) throws(StoreError) -> SessionSums {
        try SessionSums(database, "sum(events)", "session_block")
    }

    /// Sums the size of the blocks, in bytes.
    static func bytes(_ database: Database) throws(StoreError) -> SessionSums {
        try SessionSums(database, "sum(length(data) + 48)", "session_block JOIN block USING(first)")
    }

    private init(_ database: Database, _ sum: String, _ indexed: String) throws(StoreError) {
        // Read once, so that blocks that get entries meanwhile still count among the newest.
        let end = try database.integer("SELECT value FROM meta WHERE key = '\(SessionIndex.end)'") ?? 0
        let blocks = try database.prepare("SELECT session, \(sum) FROM block WHERE first > ? GROUP BY session")
            .bind(1, end)
        var newest: [Int64: Int] = [:]
        while try blocks.step() { newest[blocks.integer(0)] = blocks.tally(1) }
        self.newest = newest
        self.indexed = try database.prepare(
            "SELECT \(sum) FROM \(indexed) WHERE session_block.session = ?1 AND session_block.first <= ?2"
        ).bind(2, end)
    }

    func of(_ session: Int64) throws(StoreError) -> Int {
        defer { indexed.reset() }
        _ = try indexed.bind(1, session).step()
        return indexed.tally(0) + (newest[session] ?? 0)
    }
}
