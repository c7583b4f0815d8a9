internal import HarkCore

/// Blocks whose records interleave, such as those of several sessions in one commit; they are merged in the order of
/// their numbers.
///
/// The blocks are copied one after the other into memory that is reused for the next group. A single block, as when one
/// session records at a time, is passed on while it is read: no list of its records is made or sorted.
struct BlockGroup {
    private var bytes: [UInt8] = []
    private var blocks: [(session: SessionIdentity, range: Range<Int>)] = []
    /// The range of the record numbers.
    private var last = Int64.min
    private var first = Int64.max

    /// Whether blocks that begin with this number or a later one cannot interleave with the group.
    func isBefore(_ first: Int64) -> Bool { last < first }

    /// - Parameter block: a row with the columns of `BlockWalk`.
    /// - Returns: false if the content fails its checksum; the block is left out.
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

    /// Passes all records in order to `body`, until it returns false, and empties the group.
    ///
    /// - Returns: a range with damaged records, if there are any.
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

    /// - Returns: false if the block is damaged.
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
        // Indices instead of sessions, so that sorting counts no references.
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
