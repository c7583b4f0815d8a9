internal import HarkCore

/// Blocks whose records lie among each other, as those of several sessions out of one commit do, until they are handed out in
/// the order of their numbers.
///
/// Their content lies one block after the other in memory that is used again for the next. A block that stands by itself, as
/// each does where one session records at a time, is handed out as it is read: no list of its records is made or sorted.
struct BlockGroup {
    private var bytes: [UInt8] = []
    private var blocks: [(session: SessionIdentity, range: Range<Int>)] = []
    /// The highest number of its records.
    private var last = Int64.min

    /// Whether blocks that begin with this number or a later one have no record among those that are here.
    func isBefore(_ first: Int64) -> Bool { last < first }

    /// - Parameter block: stands at the block, with the columns of `StoreReader.blocks(of:_:)`.
    mutating func append(_ block: Statement, of session: SessionIdentity) throws(StoreError) {
        let start = bytes.count
        let isWhole = block.withBytes(2) { data in
            guard StoreReader.isWhole(data, block) else { return false }
            bytes.append(contentsOf: data)
            return true
        }
        guard isWhole else { throw StoreReader.damagedBlock }
        blocks.append((session, start..<bytes.count))
        last = max(last, block.integer(7))
    }

    /// Hands out all records in order, as long as `body` says that it takes more, and is empty then.
    mutating func hand(
        descending: Bool, _ body: (SessionIdentity, RecordView) -> Bool
    ) throws(StoreError) {
        guard !blocks.isEmpty else { return }
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            blocks.count == 1 && !descending
                ? BlockGroup.pass(blocks[0].session, UnsafeBufferPointer(rebasing: bytes[blocks[0].range]), body)
                : merge(bytes, descending: descending, body)
        }
        bytes.removeAll(keepingCapacity: true)
        blocks.removeAll(keepingCapacity: true)
        last = .min
        guard isRead else { throw StoreReader.damagedBlock }
    }

    /// - Returns: false where it came upon damage.
    private static func pass(
        _ session: SessionIdentity, _ block: UnsafeBufferPointer<UInt8>, _ body: (SessionIdentity, RecordView) -> Bool
    ) -> Bool {
        guard var reader = BlockReader(block) else { return false }
        while let record = reader.next() { guard body(session, record) else { return true } }
        return !reader.isDamaged
    }

    private func merge(
        _ bytes: UnsafeBufferPointer<UInt8>, descending: Bool, _ body: (SessionIdentity, RecordView) -> Bool
    ) -> Bool {
        // With the place of their block instead of its session, they are sorted without a count of references.
        var heads: [(block: Int, record: RecordView)] = []
        for (place, block) in blocks.enumerated() {
            guard var reader = BlockReader(UnsafeBufferPointer(rebasing: bytes[block.range])) else { return false }
            while let record = reader.next() { heads.append((place, record)) }
            guard !reader.isDamaged else { return false }
        }
        heads.sort {
            descending ? $0.record.sequence > $1.record.sequence : $0.record.sequence < $1.record.sequence
        }
        for head in heads { guard body(blocks[head.block].session, head.record) else { break } }
        return true
    }
}
