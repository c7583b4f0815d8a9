/// Which blocks are of which session. An entry for each block in the commit that brings it would be a page of its own for each
/// session; so the entries are written for many commits at once (`SessionIndexWriter`), and who looks for a session also
/// looks through the newest blocks, of which there are no entries yet.
///
/// The view `block_of_session` is both. It is no use where a session comes from a row of the same query, or a range is asked
/// for: SQLite would then make an index for each, or begin at the range instead of at the newest.
enum SessionIndex {
    /// Up to this number of a first record, blocks have entries. A row of `meta`.
    static let end = "blocksBySession"

    /// Beyond this number only somebody who changed the file has put a block: it has no entry ever.
    static let last = Statement.largest

    /// As SQL, which blocks are the newest.
    static let isNewest = "first > \(endValue)"

    private static let endValue = "(SELECT value FROM meta WHERE key = '\(end)')"

    /// As SQL, which blocks are the newest of those between two numbers.
    static func isNewest(from first: String, to last: String) -> String {
        "first > max(\(first) - 1, \(endValue)) AND first <= \(last)"
    }
}

/// Sums over the blocks of sessions, one session after the other: the newest blocks are looked through once, for all of them.
struct SessionSums {
    private let indexed: Statement
    private let newest: [Int64: Int]

    /// How many events a session has.
    static func events(_ database: Database) throws(StoreError) -> SessionSums {
        try SessionSums(database, "sum(events)", "session_block")
    }

    /// How many bytes its blocks take.
    static func bytes(_ database: Database) throws(StoreError) -> SessionSums {
        try SessionSums(database, "sum(length(data) + 48)", "session_block JOIN block USING(first)")
    }

    private init(_ database: Database, _ sum: String, _ indexed: String) throws(StoreError) {
        // What gets entries meanwhile is counted among the newest.
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
