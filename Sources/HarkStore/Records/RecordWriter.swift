internal import HarkCore
internal import HarkWire

/// Writes records in blocks. Belongs to the `StoreWriter`.
final class RecordWriter {
    private let database: Database
    private let insertBlock: Statement
    /// The average record size of the last block, in bytes. It serves to reserve memory, because a growing block is copied again
    /// and again.
    private var recordSize = 0
    let names: NameWriter
    private let sessions: SessionIndexWriter

    init(_ database: Database) throws(StoreError) {
        self.database = database
        names = try NameWriter(database)
        sessions = try SessionIndexWriter(database)
        insertBlock = try database.prepare(
            """
            INSERT INTO block(first, last, batch, session, events, earliest, latest, checksum, data)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
    }

    func write(_ records: [Record]) throws(StoreError) {
        guard let first = records.first else { return }
        try names.begin()
        try sessions.begin()
        // Blocks are filled in place: a copy would copy all their bytes.
        var blocks: [BlockBuilder] = []
        var placeOf: [Int64: Int] = [:]
        var next = 0
        while next < records.count {
            let row = records[next].session.row
            // Consecutive records of one session go to its block together, with one lookup.
            var end = next + 1
            while end < records.count, records[end].session.row == row { end += 1 }
            let place = placeOf[row] ?? blocks.count
            if place == blocks.count {
                placeOf[row] = place
                blocks.append(block(for: records[next..<end]))
            }
            while true {
                next += blocks[place].append(records[next..<end])
                // The remaining records did not fit.
                guard next < end else { break }
                try insert(blocks[place], batch: first.sequence)
                blocks[place] = block(for: records[next..<end])
            }
        }
        for block in blocks { try insert(block, batch: first.sequence) }
    }

    /// An empty block for records of one session, to which more may follow.
    private func block(for records: ArraySlice<Record>) -> BlockBuilder {
        BlockBuilder(
            session: records[records.startIndex].session,
            expecting: min(records.count, BlockBuilder.maxRecords) * recordSize)
    }

    private func insert(_ builder: BlockBuilder, batch: UInt64) throws(StoreError) {
        try put(builder, batch: Int64(batch))
        recordSize = builder.bytes.count / builder.count
        names.add(GatheredNames.Block(builder))
        sessions.add(
            builder.session.row, first: builder.firstSequence, events: builder.events, bytes: builder.bytes.count)
    }

    private func put(_ builder: BlockBuilder, batch: Int64) throws(StoreError) {
        try insertBlock.bind(1, Int64(builder.firstSequence)).bind(2, Int64(builder.lastSequence))
            .bind(3, batch).bind(4, builder.session.row).bind(5, Int64(builder.events))
            .bind(6, builder.earliest.milliseconds).bind(7, builder.latest.milliseconds)
            .bind(8, Int64(bitPattern: builder.bytes.withUnsafeBytes(Checksum.of))).run(9, builder.bytes)
    }

    /// Called before blocks are put back between existing ones.
    func beginRestoring() throws(StoreError) {
        try sessions.beginRestoring()
        try names.forget()
    }

    func restore(_ builder: BlockBuilder, batch: Int64) throws(StoreError) {
        try put(builder, batch: batch)
        try sessions.restore(builder.session.row, first: builder.firstSequence, events: builder.events)
    }

    /// Deletes at most `maxBlocks` blocks of a session.
    ///
    /// - Returns: the number of events deleted, and whether no block is left.
    func sweep(sessionRow: Int64, maxBlocks: Int) throws(StoreError) -> (events: Int, isEmpty: Bool) {
        try sessions.beginSweep()
        let doomed = try database.prepare("SELECT first, events FROM block_of_session WHERE session = ?1 LIMIT ?2")
            .bind(1, sessionRow).bind(2, Int64(maxBlocks))
        var blocks: Set<Int64> = []
        var events = 0
        while try doomed.step() {
            blocks.insert(doomed.integer(0))
            events += doomed.tally(1)
        }
        let delete = try database.prepare("DELETE FROM block WHERE first = ?")
        for block in blocks {
            try delete.bind(1, block).run()
            try sessions.remove(sessionRow, first: block)
        }
        try names.remove(blocks)
        // Only the remaining blocks keep the session.
        guard blocks.count < maxBlocks else { return (events, false) }
        return (events, try !hasBlocks(sessionRow))
    }

    private func hasBlocks(_ session: Int64) throws(StoreError) -> Bool {
        try database.prepare("SELECT 1 FROM block_of_session WHERE session = ? LIMIT 1").bind(1, session).step()
    }

    /// Called at the end of the transaction.
    func end(isCommitted: Bool) {
        names.end(isCommitted: isCommitted)
        sessions.end(isCommitted: isCommitted)
    }
}
