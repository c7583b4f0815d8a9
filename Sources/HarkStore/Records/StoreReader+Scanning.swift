package import HarkCore
internal import HarkWire

extension StoreReader {
    /// Passes all records that match a query to `body`, once each and in no particular order, at no more cost than
    /// reading them in place.
    ///
    /// The views are valid only during the call. The query is ascending; its limit is ignored. The page ends at the
    /// time limit, between two commits, and the next one continues at `next`. A damaged block is skipped and noted.
    ///
    /// - Parameters:
    ///   - last: records with a higher number are left out.
    ///   - begin: called before the records of each block.
    package func scan(
        _ query: RecordQuery, upTo last: UInt64, begin: () -> Void, _ body: (SessionIdentity, RecordView) -> Void
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
        var batch: Int64?
        let end = Int64(clamping: last)
        let (kinds, behind) = (query.kindsAlone, query.behind ?? 0)

        func cut(at number: Int64) -> Page {
            page.next = max(query.from ?? 0, UInt64(clamping: number))
            page.isCut = true
            return page
        }

        var patience = Patience(microseconds: query.patience)
        while let part = try parts.next(), part.range.lowerBound <= end {
            guard part.mayHold else {
                if patience.isOver { return cut(at: part.range.upperBound) }
                continue
            }
            walk.begin(part.range.lowerBound...min(part.range.upperBound, end))
            while try walk.step() {
                let blocks = walk.row
                let next = blocks.integer(0)
                if let batch, next != batch, patience.isOver { return cut(at: blocks.integer(4) - 1) }
                batch = next
                guard query.mayInclude(earliest: blocks.integer(5), latest: blocks.integer(6)),
                    try parts.mayHold(blocks.integer(4))
                else { continue }
                guard let session = try sessions.session(of: blocks), query.includes(session) else { continue }
                begin()
                let taken = StoreReader.forEachRecord(in: blocks) { record in
                    guard record.sequence <= last, record.sequence > behind,
                        kinds?.contains(record.kind) ?? query.includes(record, of: session)
                    else { return false }
                    body(session, record)
                    return true
                }
                page.count += taken.count
                if taken.isDamaged { unreadable.note(block: blocks) }
            }
        }
        return page
    }

    /// Passes a block's records to `body` in place, and counts those it accepted.
    private static func forEachRecord(
        in block: Statement, _ body: (RecordView) -> Bool
    ) -> (count: Int, isDamaged: Bool) {
        block.withBytes(2) { bytes in
            guard StoreReader.isWhole(bytes, block), var reader = BlockReader(bytes) else { return (0, true) }
            var taken = 0
            while let record = reader.next() { if body(record) { taken += 1 } }
            return (taken, reader.isDamaged)
        }
    }
}
