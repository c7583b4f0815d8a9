/// Writes the entries of `SessionIndex`, many at once. Belongs to the `RecordWriter`.
final class SessionIndexWriter {
    private let database: Database
    private struct Entry {
        let session: Int64
        let first: Int64
        let events: Int
        let bytes: Int
    }

    /// The committed blocks without an entry, and their sessions.
    private var waiting: [Entry] = []
    private var sessions: Set<Int64> = []
    private var waitingBytes = 0
    /// The blocks that the current transaction adds and removes.
    private var added: [Entry] = []
    private var removed: Set<Int64> = []
    /// Whether the current transaction writes the entries that waited before it.
    private var isWriting = false
    private lazy var insertion = DeferredStatement(
        database, "INSERT OR REPLACE INTO session_block(session, first, events) VALUES (?, ?, ?)")
    private lazy var end = DeferredStatement(
        database, "INSERT OR REPLACE INTO meta(key, value) VALUES ('\(SessionIndex.end)', ?)")
    private lazy var restoredEnd = DeferredStatement(
        database,
        """
        INSERT INTO meta(key, value) VALUES ('\(SessionIndex.end)', ?)
        ON CONFLICT(key) DO UPDATE SET value = max(value, excluded.value)
        """)
    private lazy var deletion = DeferredStatement(database, "DELETE FROM session_block WHERE session = ? AND first = ?")

    init(_ database: Database) throws(StoreError) {
        self.database = database
        let end = try database.integer("SELECT value FROM meta WHERE key = '\(SessionIndex.end)'") ?? 0
        guard end < SessionIndex.last else { return }
        var blocks = try BlockWalk(
            database, DamageNotes(UnreadableRows()),
            columns: "batch, session, events, length(data), first, earliest, latest, last")
        blocks.begin(end + 1...SessionIndex.last)
        defer { blocks.row.reset() }
        while try blocks.step() {
            let row = blocks.row
            wait(Entry(session: row.integer(1), first: row.integer(4), events: row.tally(2), bytes: row.tally(3)))
        }
    }

    private func wait(_ entry: Entry) {
        waiting.append(entry)
        sessions.insert(entry.session)
        waitingBytes += entry.bytes
    }

    /// Whether to write the entries. The entries of a session are on one or more pages of their own, so eight per
    /// session suffice. More would slow down searches for a session, and the next start.
    private var isEnough: Bool {
        waiting.count >= max(32, min(512, 8 * sessions.count))
            || waiting.count >= 32 && waitingBytes >= SessionIndexWriter.manyBytes
    }

    private static let manyBytes = 8 << 20

    /// Called before the records of a commit are written, when only whole commits are waiting.
    func begin() throws(StoreError) {
        if isEnough { try write() }
    }

    /// Called before a series of lookups of sessions: each would scan the blocks without entries.
    func beginSweep() throws(StoreError) {
        if waiting.count >= 32 { try write() }
    }

    /// Writes the entries of all committed blocks, as blocks will be put back between them.
    func beginRestoring() throws(StoreError) { try write() }

    /// Adds the entry of a block that was put back.
    func restore(_ session: Int64, first: UInt64, events: Int) throws(StoreError) {
        try insertion().bind(1, session).bind(2, Int64(first)).bind(3, Int64(events)).run()
        try restoredEnd().bind(1, Int64(first)).run()
    }

    private func write() throws(StoreError) {
        // Blocks of one commit may have been added in another order than in the log.
        guard !isWriting, let last = waiting.lazy.map(\.first).max() else { return }
        for entry in waiting.sorted(by: { ($0.session, $0.first) < ($1.session, $1.first) }) {
            try insertion().bind(1, entry.session).bind(2, entry.first).bind(3, Int64(entry.events)).run()
        }
        try end().bind(1, last).run()
        isWriting = true
    }

    /// Notes a new block.
    func add(_ session: Int64, first: UInt64, events: Int, bytes: Int) {
        added.append(Entry(session: session, first: Int64(first), events: events, bytes: bytes))
    }

    /// Removes a deleted block.
    func remove(_ session: Int64, first: Int64) throws(StoreError) {
        try deletion().bind(1, session).bind(2, first).run()
        removed.insert(first)
    }

    /// Called at the end of the transaction.
    func end(isCommitted: Bool) {
        if isCommitted {
            if isWriting {
                waiting.removeAll(keepingCapacity: true)
                sessions.removeAll(keepingCapacity: true)
                waitingBytes = 0
            }
            for entry in added { wait(entry) }
            if !removed.isEmpty {
                waiting.removeAll { removed.contains($0.first) }
                waitingBytes = waiting.reduce(0) { $0 + $1.bytes }
            }
        }
        added.removeAll(keepingCapacity: true)
        removed = []
        isWriting = false
    }
}
