internal import HarkCore

/// A cache of the sessions of blocks for one query.
struct BlockSessions {
    private let reader: StoreReader
    private var known: [Int64: SessionIdentity?] = [:]
    /// Sessions that cannot be read, so that the owner of their records is unknown.
    private var lost: Set<Int64> = []

    init(_ reader: StoreReader) { self.reader = reader }

    /// The session of a block; nil if it is being removed, or cannot be read, which is noted.
    /// - Parameter block: a row with the columns of `BlockWalk`.
    mutating func session(of block: Statement) throws(StoreError) -> SessionIdentity? {
        let row = block.integer(1)
        if let session = known[row] {
            if session == nil, lost.contains(row) { note(block) }
            return session
        }
        var session: SessionIdentity?
        do throws(StoreError) {
            session = try reader.session(row: row)?.identity
            if session == nil, try !reader.hasSession(row: row) { lost.insert(row) }
        } catch {
            guard error.isDamage || error.code == .damaged else { throw error }
            lost.insert(row)
        }
        known[row] = .some(session)
        if lost.contains(row) { note(block) }
        return session
    }

    /// The block itself is intact and stays.
    private func note(_ block: Statement) {
        let (first, last) = (block.integer(4), max(block.integer(4), block.integer(7)))
        reader.unreadable.note(
            LostRecords(
                first...last, most: min(Int(clamping: last - first), BlockWalk.mostRecords - 1) + 1,
                earliest: block.integer(5), latest: block.integer(6), cause: .session))
    }
}

extension StoreReader {
    /// Whether a row holds a session, including one that is being removed.
    func hasSession(row: Int64) throws(StoreError) -> Bool {
        try database.prepare("SELECT 1 FROM session WHERE row = ?").bind(1, row).step()
    }
}
