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
    private var first = Int64.max

    /// Whether blocks that begin with this number or a later one have no record among those that are here.
    func isBefore(_ first: Int64) -> Bool { last < first }

    /// - Parameter block: stands at the block, with the columns of `BlockWalk`.
    /// - Returns: false where its content is not what was written; it is left out.
    mutating func append(_ block: Statement, of session: SessionIdentity) -> Bool {
        let start = bytes.count
        let isWhole = block.withBytes(2) { data in
            guard StoreReader.isWhole(data, block) else { return false }
            bytes.append(contentsOf: data)
            return true
        }
        guard isWhole else { return false }
        first = min(first, block.integer(4))
        blocks.append((session, start..<bytes.count))
        last = max(last, block.integer(7))
        return true
    }

    /// Hands out all records in order, as long as `body` says that it takes more, and is empty then.
    ///
    /// - Returns: among which there were some that make no sense.
    mutating func hand(descending: Bool, _ body: (SessionIdentity, RecordView) -> Bool) -> LostRecords? {
        guard !blocks.isEmpty else { return nil }
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            blocks.count == 1 && !descending
                ? BlockGroup.pass(blocks[0].session, UnsafeBufferPointer(rebasing: bytes[blocks[0].range]), body)
                : merge(bytes, descending: descending, body)
        }
        bytes.removeAll(keepingCapacity: true)
        blocks.removeAll(keepingCapacity: true)
        defer { (first, last) = (.max, .min) }
        guard !isRead, first <= last else { return nil }
        return LostRecords(
            first...last, most: min(Int(clamping: last - first), BlockWalk.mostRecords) + 1, earliest: nil, latest: nil)
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
        var isWhole = true
        for (place, block) in blocks.enumerated() {
            guard var reader = BlockReader(UnsafeBufferPointer(rebasing: bytes[block.range])) else {
                isWhole = false
                continue
            }
            while let record = reader.next() { heads.append((place, record)) }
            if reader.isDamaged { isWhole = false }
        }
        heads.sort {
            descending ? $0.record.sequence > $1.record.sequence : $0.record.sequence < $1.record.sequence
        }
        for head in heads { guard body(blocks[head.block].session, head.record) else { break } }
        return isWhole
    }
}
