package import HarkCore
package import HarkWire

extension StoreReader {
    /// What a page of records says about the next one.
    package struct Page: Sendable {
        /// The sequence number to go on after (or, descending, before); nil when there is nothing more.
        package var next: UInt64?
        package var count = 0
        /// It ended because the query's patience did: what is wanted may well come yet.
        package var isCut = false
    }

    /// Hands the records of a query to `body` in order of their sequence numbers.
    ///
    /// The views are valid only during the call. `body` answers whether there is room for another; the page also ends at
    /// the query's limit. A block that cannot be read ends the query with an error: what is damaged is never skipped
    /// silently.
    package func forEachRecord(
        _ query: RecordQuery, _ body: (SessionIdentity, RecordView) -> Bool
    ) throws(StoreError) -> Page {
        var page = Page()
        let blocks = try blocks(of: query)
        defer { blocks.reset() }
        var sessions: [Int64: SessionIdentity?] = [:]
        var group: [(session: SessionIdentity, data: [UInt8])] = []
        var batch: Int64?
        var isFull = false

        func hand(_ session: SessionIdentity, _ record: RecordView) {
            guard !isFull, query.includes(record), isBeyondStart(record.sequence, query) else { return }
            page.next = record.sequence
            page.count += 1
            isFull = !body(session, record) || page.count >= query.limit
        }

        var patience = Patience(microseconds: query.patience)
        while !isFull, try blocks.step() {
            let next = blocks.integer(0)
            if let last = batch, next != last {
                if !group.isEmpty { try forEachRecord(in: group, descending: query.descending, hand) }
                group.removeAll(keepingCapacity: true)
                if !isFull, patience.isOver {
                    // All of the commits before this one was looked at, and nothing of it.
                    page.next = UInt64(clamping: query.descending ? last : blocks.integer(4) - 1)
                    page.isCut = true
                    return page
                }
            }
            batch = next
            guard !isFull, query.mayInclude(earliest: blocks.integer(5), latest: blocks.integer(6)) else { continue }
            let row = blocks.integer(1)
            let session: SessionIdentity?
            if let known = sessions[row] {
                session = known
            } else {
                session = try self.session(row: row)?.identity
                sessions[row] = .some(session)
            }
            if let session, query.includes(session) { group.append((session, try StoreReader.data(in: blocks))) }
        }
        if !isFull { try forEachRecord(in: group, descending: query.descending, hand) }
        if !isFull { page.next = nil }
        return page
    }

    /// The content of a block, which is what was written or an error.
    static func data(in block: Statement) throws(StoreError) -> [UInt8] {
        let data = block.bytes(2)
        guard Int64(bitPattern: data.withUnsafeBytes(Checksum.of)) == block.integer(3) else { throw damagedBlock }
        return data
    }

    /// How long a page may take. Time counts from the first block on: what SQLite does before that it does at once.
    private struct Patience {
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
        "a block of the store cannot be read; stop harkd, save the file with 'sqlite3 hark.db .recover' and "
            + "take the archive tree back in with 'hark import'")

    private func isBeyondStart(_ sequence: UInt64, _ query: RecordQuery) -> Bool {
        guard let from = query.from else { return true }
        return query.descending ? sequence < from : sequence > from
    }

    /// The blocks that may hold records of a query, those of one commit together: batch, session, data.
    private func blocks(of query: RecordQuery) throws(StoreError) -> Statement {
        var conditions: [String] = []
        var start: Int64?
        if let from = query.from.map({ Int64(clamping: $0) }) {
            if query.descending {
                conditions.append("first < ?1")
                start = from
            } else if from > 0 {
                // The record after `from` may lie in a block that begins before it, of the same commit.
                conditions.append("first >= ?1")
                start = try batch(before: from)
            }
        }
        if query.session != nil { conditions.append("session = (SELECT row FROM session WHERE id = ?2)") }
        if query.user != nil {
            conditions.append(
                """
                first IN (SELECT first FROM block WHERE session IN
                    (SELECT row FROM session WHERE user IS ?3\(query.uid == nil ? "" : " AND uid = ?4")))
                """)
        }
        let statement = try database.prepare(
            """
            SELECT batch, session, data, checksum, first, earliest, latest FROM block
            \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY first \(query.descending ? "DESC" : "ASC")
            """)
        if let start { statement.bind(1, start) }
        if let session = query.session { statement.bind(2, session.rawBytes) }
        if case .user(let userId) = query.user { statement.bind(3, userId) }
        if query.user != nil, let uid = query.uid { statement.bind(4, Int64(uid)) }
        return statement
    }

    /// The commit that a record of this number lies in, or the last one before it.
    func batch(before sequence: Int64) throws(StoreError) -> Int64 {
        let statement = try database.prepare("SELECT batch FROM block WHERE first <= ? ORDER BY first DESC LIMIT 1")
            .bind(1, sequence)
        return try statement.step() ? statement.integer(0) : 0
    }

    /// Merges the blocks of one commit into the order of their sequence numbers.
    private func forEachRecord(
        in group: [(session: SessionIdentity, data: [UInt8])], descending: Bool,
        _ body: (SessionIdentity, RecordView) -> Void
    ) throws(StoreError) {
        var isDamaged = false
        withBuffers(of: group.map(\.data)) { buffers in
            var heads: [(session: SessionIdentity, record: RecordView)] = []
            for (member, buffer) in zip(group, buffers) {
                guard var reader = BlockReader(buffer) else {
                    isDamaged = true
                    continue
                }
                while let record = reader.next() { heads.append((member.session, record)) }
                if reader.isDamaged { isDamaged = true }
            }
            guard !isDamaged else { return }
            if group.count > 1 || descending {
                heads.sort {
                    descending ? $0.record.sequence > $1.record.sequence : $0.record.sequence < $1.record.sequence
                }
            }
            for head in heads { body(head.session, head.record) }
        }
        if isDamaged { throw StoreReader.damagedBlock }
    }

    /// Pins all arrays at once.
    private func withBuffers(
        of arrays: [[UInt8]], _ done: [UnsafeBufferPointer<UInt8>] = [],
        _ body: ([UnsafeBufferPointer<UInt8>]) -> Void
    ) {
        // One allocation for all, as pinning each array would nest as deep as there are blocks.
        let total = arrays.reduce(0) { $0 + $1.count }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(total, 1)) { space in
            var buffers: [UnsafeBufferPointer<UInt8>] = []
            var offset = 0
            for array in arrays {
                let end = offset + array.count
                _ = UnsafeMutableBufferPointer(rebasing: space[offset..<end]).initialize(from: array)
                buffers.append(UnsafeBufferPointer(rebasing: space[offset..<end]))
                offset = end
            }
            body(buffers)
        }
    }
}

extension StoreReader {
    /// The records of a query as values of their own, a page that also ends at about so many bytes of content.
    package func records(
        _ query: RecordQuery, maxBytes: Int
    ) throws(StoreError) -> (records: [Record], page: Page) {
        var records: [Record] = []
        var bytes = 0
        let page = try forEachRecord(query) { session, view in
            records.append(Record(view, of: session))
            bytes += view.properties.count + view.name.count + 128
            return bytes < maxBytes
        }
        return (records, page)
    }
}

extension StoreReader {
    /// The ids of the events of a session after a number, as many as there is patience for, in microseconds; and the
    /// number to go on after.
    package func eventIds(
        ofSession id: Identifier, after sequence: UInt64 = 0, patience: Int? = nil
    ) throws(StoreError) -> (ids: [Identifier], next: UInt64?) {
        var query = RecordQuery(limit: .max)
        query.session = id
        query.from = sequence
        query.patience = patience
        var ids: [Identifier] = []
        let page = try forEachRecord(query) { _, record in
            ids.append(record.id)
            return true
        }
        return (ids, page.next)
    }
}
