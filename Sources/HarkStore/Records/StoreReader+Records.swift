package import HarkCore
internal import HarkWire

extension StoreReader {
    /// The result of reading a page of records.
    package struct Page: Sendable {
        /// The sequence number after (or, descending, before) which to continue; nil when there is nothing more.
        package var next: UInt64?
        package var count = 0
        /// Whether the page ended because of the query's time limit: later pages may have matches.
        package var isCut = false
    }

    /// Passes the records that match a query to `body`, in the order of their sequence numbers.
    ///
    /// The views are valid only during the call. `body` returns whether there is room for more; the page also ends at
    /// the query's limit. A block that cannot be read is skipped and noted (`takeMetDamage`), never skipped silently.
    package func forEachRecord(
        _ query: RecordQuery, _ body: (SessionIdentity, RecordView) -> Bool
    ) throws(StoreError) -> Page {
        var page = Page()
        let machines = try condition(on: query.machines)
        var parts = try Parts(of: query, machines, from: start(of: query), database)
        var walk = try blocks(of: query, machines)
        defer {
            walk.row.reset()
            parts.reset()
        }
        var sessions = BlockSessions(self)
        var group = BlockGroup()
        var batch: Int64?
        var isFull = false
        let (kinds, behind, before) = (query.kindsAlone, query.behind, query.before)

        func hand(_ session: SessionIdentity, _ record: RecordView) -> Bool {
            guard behind.map({ record.sequence > $0 }) ?? true, before.map({ record.sequence < $0 }) ?? true,
                kinds?.contains(record.kind) ?? query.includes(record, of: session)
            else { return true }
            page.next = record.sequence
            page.count += 1
            isFull = !body(session, record) || page.count >= query.limit
            return !isFull
        }

        /// Passes on the group, once all blocks that interleave with it were read.
        func handGroup() {
            if let damaged = group.hand(descending: query.descending, hand) { unreadable.note(damaged) }
        }

        /// Ends the page after (or, descending, before) a number up to which everything was read.
        func cut(at number: Int64) -> Page {
            let from = query.from ?? (query.descending ? .max : 0)
            page.next = query.descending ? min(from, UInt64(clamping: number)) : max(from, UInt64(clamping: number))
            page.isCut = true
            return page
        }

        var patience = Patience(microseconds: query.patience)
        while !isFull, let part = try parts.next() {
            guard part.mayHold else {
                handGroup()
                if isFull { break }
                if patience.isOver { return cut(at: query.descending ? part.range.lowerBound : part.range.upperBound) }
                continue
            }
            walk.begin(part.range)
            while !isFull, try walk.step() {
                let blocks = walk.row
                let next = blocks.integer(0)
                if let last = batch, next != last {
                    handGroup()
                    if !isFull, patience.isOver { return cut(at: query.descending ? last : blocks.integer(4) - 1) }
                }
                batch = next
                guard !isFull, query.mayInclude(earliest: blocks.integer(5), latest: blocks.integer(6)),
                    try parts.mayHold(blocks.integer(4))
                else { continue }
                guard let session = try sessions.session(of: blocks), query.includes(session) else { continue }
                // Blocks come in the order of their first records; in descending order, a later one may still end after
                // this one.
                if !query.descending, group.isBefore(blocks.integer(4)) {
                    handGroup()
                    if isFull { break }
                }
                if !group.append(blocks, of: session) { unreadable.note(block: blocks) }
            }
        }
        if !isFull { handGroup() }
        if !isFull { page.next = nil }
        return page
    }

    /// The parts of the log that a query visits, chosen by the name index.
    struct Parts {
        private var walk: NameWalk?
        /// Filters the blocks within a part, when these are found by session, user or machine.
        private var lookUp: NameLookUp?
        private var whole: ClosedRange<Int64>?
        /// The number of parts joined into one, because finding those blocks has a cost per part.
        private var joined = 1

        init(
            of query: RecordQuery, _ machines: MachineCondition?, from start: ClosedRange<Int64>?, _ database: Database
        ) throws(StoreError) {
            guard let start else { return }
            let isOfOne = query.session != nil || query.user != nil || machines != nil
            if isOfOne ? query.name != nil || query.level != nil : query.isSelective {
                walk = try NameWalk(query, within: start, database)
                if isOfOne { lookUp = try NameLookUp(query, database) }
            } else {
                whole = start
            }
        }

        mutating func next() throws(StoreError) -> NameWalk.Part? {
            guard walk != nil else {
                defer { whole = nil }
                return whole.map { NameWalk.Part(range: $0, mayHold: true) }
            }
            guard var part = try walk?.next() else { return nil }
            if lookUp == nil { return part }
            for _ in 1..<joined { if let next = try walk?.next() { part.join(next) } }
            joined = min(2 * joined, 1_024)
            return part
        }

        mutating func mayHold(_ block: Int64) throws(StoreError) -> Bool { try lookUp?.mayHold(block) ?? true }

        func reset() { walk?.reset() }
    }

    /// The content of a block; throws if it fails its checksum.
    static func data(in block: Statement) throws(StoreError) -> [UInt8] {
        let data = block.bytes(2)
        guard data.withUnsafeBufferPointer({ isWhole($0, block) }) else { throw damagedBlock }
        return data
    }

    /// Whether a block's content matches its checksum.
    /// - Parameter block: a row with the columns of `BlockWalk`.
    static func isWhole(_ data: UnsafeBufferPointer<UInt8>, _ block: Statement) -> Bool {
        let (bytes, checksum) = (UnsafeRawBufferPointer(data), UInt64(bitPattern: block.integer(3)))
        return Checksum.of(bytes) == checksum || Checksum.ofEarlierVersion(bytes) == checksum
    }

    /// A time limit for a page. It starts at the first block, because SQLite's work before that cannot be interrupted.
    struct Patience {
        let microseconds: Int?
        private var start: Int?

        init(microseconds: Int?) { self.microseconds = microseconds }

        var isOver: Bool {
            mutating get {
                guard let microseconds else { return false }
                let now = monotonicMicroseconds()
                guard let start else {
                    start = now
                    return false
                }
                return now - start >= microseconds
            }
        }
    }

    static let damagedBlock = StoreError(
        .damaged,
        "a block of the store cannot be read; 'hark repair' removes it, and restores what the archive tree has")

    /// The range of first-record numbers of the blocks that may match a query; nil if there are none.
    func start(of query: RecordQuery) throws(StoreError) -> ClosedRange<Int64>? {
        guard let from = query.from.map({ Int64(clamping: $0) }) else { return 0...Int64.max }
        if query.descending { return from > 0 ? 0...from - 1 : nil }
        // The record after `from` may be in a block of the same commit that begins before it.
        return from > 0 ? try batch(before: from)...Int64.max : 0...Int64.max
    }

    /// A cursor over the blocks that may match a query, in the order of the log, with the columns of `BlockWalk`:
    /// batch, session, data, checksum, the number of the first record, the times of the earliest and latest, the number
    /// of the last.
    func blocks(of query: RecordQuery, _ machines: MachineCondition?) throws(StoreError) -> BlockWalk {
        BlockWalk(database, unreadable, descending: query.descending, try statement(of: query, machines)) {
            () throws(StoreError) in
            var all = RecordQuery(limit: query.limit)
            (all.descending, all.from) = (query.descending, query.from)
            return try self.statement(of: all, nil)
        }
    }

    private func statement(of query: RecordQuery, _ machines: MachineCondition?) throws(StoreError) -> Statement {
        let direction = query.descending ? "DESC" : "ASC"
        // Skips blocks that the page before has read, when it ended within their commit.
        let isMeant = query.behind == nil ? "" : " AND last > ?6"
        let newest = SessionIndex.isNewest(from: "?1", to: "?5")
        var ofSession: [String] = []
        if let machines { ofSession.append(machines.sql(on: "uid")) }
        if query.user != nil {
            ofSession.append("user IS ?3")
            if query.uid != nil { ofSession.append("uid = ?4") }
        }
        let statement: Statement
        if query.session != nil {
            let isOfSession = "session = (SELECT row FROM session WHERE id = ?2)"
            // Two cursors in the order of the log, merged, so that a small page reads little.
            statement = try database.prepare(
                """
                SELECT batch, i.session, data, checksum, i.first, earliest, latest, last
                FROM session_block i CROSS JOIN block b ON b.first = i.first
                WHERE i.first BETWEEN ?1 AND ?5 AND i.\(isOfSession)\(isMeant)
                UNION ALL
                SELECT \(StoreReader.blockColumns) FROM block WHERE \(newest) AND \(isOfSession)\(isMeant)
                ORDER BY 5 \(direction)
                """)
        } else {
            var isInSessions = ""
            if !ofSession.isEmpty {
                let isOfSession = "session IN (SELECT row FROM session WHERE \(ofSession.joined(separator: " AND ")))"
                isInSessions = """
                     AND first IN (SELECT first FROM session_block WHERE first BETWEEN ?1 AND ?5 AND \(isOfSession)
                        UNION ALL SELECT first FROM block WHERE \(newest) AND \(isOfSession))
                    """
            }
            statement = try database.prepare(
                """
                SELECT \(StoreReader.blockColumns) FROM block
                WHERE first BETWEEN ?1 AND ?5\(isMeant)\(isInSessions) ORDER BY first \(direction)
                """)
        }
        if query.session == nil { machines?.bind(to: statement) }
        if let behind = query.behind { statement.bind(6, Int64(clamping: behind)) }
        if let session = query.session { statement.bind(2, session.rawBytes) }
        if query.session == nil, case .user(let userId) = query.user {
            statement.bind(3, userId)
            if let uid = query.uid { statement.bind(4, Int64(uid)) }
        }
        return statement
    }

    private static let blockColumns = BlockWalk.columns

    /// The batch (commit) of the record with this number, or else of the last one before it.
    func batch(before sequence: Int64) throws(StoreError) -> Int64 {
        let statement = try database.prepare("SELECT batch FROM block WHERE first <= ? ORDER BY first DESC LIMIT 1")
            .bind(1, sequence)
        do throws(StoreError) {
            return try statement.step() ? statement.integer(0) : 0
        } catch {
            guard error.isDamage else { throw error }
            // No commit has more records.
            return max(0, sequence - (1 << 17))
        }
    }
}

extension StoreReader {
    /// Copies of the records that match a query; the page also ends at about `maxBytes` bytes of content.
    package func records(
        _ query: RecordQuery, maxBytes: Int
    ) throws(StoreError) -> (records: [Record], page: Page) {
        var records = RecordCopies()
        var bytes = 0
        let page = try forEachRecord(query) { session, view in
            records.append(view, of: session)
            bytes += view.properties.count + view.name.count + 128
            return bytes < maxBytes
        }
        return (records.take(), page)
    }
}
