internal import HarkCore
package import HarkWire

/// Puts records back at their old place in the log.
final class RestoringWriter: FamilyWriter {
    private let database: Database
    private let records: RecordWriter

    init(_ database: Database, _ records: RecordWriter) {
        self.database = database
        self.records = records
    }

    /// Writes blocks of consecutive numbers only, so that none overlaps an existing block.
    func write(_ restored: RestoredRecords) throws(StoreError) {
        try records.beginRestoring()
        var start = restored.records.startIndex
        while start < restored.records.endIndex {
            var end = start + 1
            while end < restored.records.endIndex,
                restored.records[end].sequence == restored.records[end - 1].sequence + 1
            { end += 1 }
            while start < end {
                var block = BlockBuilder(session: restored.records[start].session)
                start += block.append(restored.records[start..<end])
                try records.restore(block, batch: try batch(of: block))
            }
        }
    }

    /// The batch (commit) for restored records: that of the blocks around them, as blocks of one commit are read
    /// together.
    private func batch(of block: BlockBuilder) throws(StoreError) -> Int64 {
        let first = Int64(block.firstSequence)
        let next = try database.prepare("SELECT batch FROM block WHERE first > ? ORDER BY first LIMIT 1").bind(1, first)
        defer { next.reset() }
        if try next.step(), next.integer(0) <= first { return next.integer(0) }
        let before = try database.prepare("SELECT batch FROM block WHERE first < ? ORDER BY first DESC LIMIT 1")
            .bind(1, first)
        defer { before.reset() }
        guard try before.step() else { return first }
        let batch = before.integer(0)
        let last = try database.prepare("SELECT max(last) FROM block WHERE first BETWEEN ? AND ?")
            .bind(1, batch).bind(2, first)
        defer { last.reset() }
        return try last.step() && last.integer(0) > first ? batch : first
    }
}

/// The holder of a record number in the store, in any session.
package enum NumberHolder: Sendable, Equatable {
    case nobody
    /// The record's id, and the row of its session.
    case record(Identifier, row: Int64)
    /// A block that cannot be read.
    case damaged
}

extension StoreReader {
    package func holder(ofNumber sequence: UInt64) throws(StoreError) -> NumberHolder {
        let number = Int64(clamping: sequence)
        var blocks = try BlockWalk(database, unreadable)
        blocks.begin(min(number, try batch(before: number))...number)
        defer { blocks.row.reset() }
        var holder = NumberHolder.nobody
        while try blocks.step() {
            let row = blocks.row
            guard row.integer(7) >= number else { continue }
            let found: NumberHolder? = row.withBytes(2) { bytes in
                guard StoreReader.isWhole(bytes, row), var reader = BlockReader(bytes) else { return .damaged }
                while let record = reader.next() {
                    if record.sequence == sequence { return .record(record.id, row: row.integer(1)) }
                }
                return nil
            }
            if case .record = found { return found ?? holder }
            if let found { holder = found }
        }
        return holder
    }

    /// Whether a row holds a session, including one that is being removed.
    package func isTaken(sessionRow row: Int64) throws(StoreError) -> Bool { try hasSession(row: row) }
}
