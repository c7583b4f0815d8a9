internal import HarkCore

/// A cursor over blocks in the order of the log that skips and notes unreadable ones.
///
/// A query that finds blocks by session also reads an index. If that is damaged, the cursor continues with all blocks:
/// callers check the session of each block in any case.
struct BlockWalk {
    static let columns = "batch, session, data, checksum, first, earliest, latest, last"
    /// The greatest number of records in a block.
    static let mostRecords = BlockBuilder.maxRecords

    private let database: Database
    private let notes: DamageNotes
    private let descending: Bool
    /// The current block, with the columns above.
    private(set) var row: Statement
    /// The query to use if `row` cannot be read; nil once it is in use.
    private var plain: (() throws(StoreError) -> Statement)?
    /// The range not visited yet.
    private var rest: ClosedRange<Int64>?
    /// The block at which the walk last failed although it can be read by itself.
    private var doubted: Int64?
    /// The number of the last record of the block before, and its time.
    private var before: (last: Int64, time: Int64)?

    /// - Parameters:
    ///   - row: a query for the blocks from ?1 to ?5.
    ///   - plain: a query for the same blocks that uses only their table, and may return more.
    init(
        _ database: Database, _ notes: DamageNotes, descending: Bool = false, _ row: Statement,
        plain: @escaping () throws(StoreError) -> Statement
    ) {
        self.database = database
        self.notes = notes
        self.descending = descending
        self.row = row
        self.plain = plain
    }

    /// A cursor over all blocks.
    init(_ database: Database, _ notes: DamageNotes, columns: String = BlockWalk.columns) throws(StoreError) {
        self.init(
            database, notes,
            try database.prepare("SELECT \(columns) FROM block WHERE first BETWEEN ?1 AND ?5 ORDER BY first")
        ) { () throws(StoreError) in throw StoreReader.damagedBlock }
        plain = nil
    }

    /// Starts over with the blocks whose first records are in this range.
    mutating func begin(_ range: ClosedRange<Int64>) {
        rest = range
        row.reset()
        row.bind(1, range.lowerBound).bind(5, range.upperBound)
    }

    mutating func step() throws(StoreError) -> Bool {
        while let range = rest {
            do throws(StoreError) {
                guard try row.step() else {
                    rest = nil
                    return false
                }
                let first = row.integer(4)
                // A damaged page may lead back to an earlier block; the blocks of the page itself are found after it.
                guard range.contains(first) else { continue }
                before = (row.integer(7), row.integer(descending ? 5 : 6))
                if descending {
                    rest = first > range.lowerBound ? range.lowerBound...first - 1 : nil
                } else {
                    rest = first < range.upperBound ? first + 1...range.upperBound : nil
                }
                return true
            } catch {
                guard error.isDamage else { throw error }
                row.reset()
                try pass(range, error)
            }
        }
        return false
    }

    private mutating func pass(_ range: ClosedRange<Int64>, _ error: StoreError) throws(StoreError) {
        if let plain {
            row = try plain()
            self.plain = nil
            return begin(range)
        }
        // If the file is not readable, this is not a gap.
        guard (try? database.integer("SELECT count(*) FROM sqlite_schema")) != nil else { throw error }
        let gap = try KeyGap(database, table: "block", key: "first", descending: descending)
        let start = descending ? range.upperBound : range.lowerBound
        guard let found = gap.nearest(to: start, within: range) else {
            note(descending ? range : start...max(start, newest(from: start)), next: nil)
            rest = nil
            return
        }
        guard let next = found.key else {
            rest = nil
            return
        }
        if found.isBehindGap {
            note(descending ? min(next + 1, start)...start : start...max(start, next - 1), next: next)
        } else if !isReadable(next) || doubted == next {
            noteBlock(at: next)
            rest =
                descending
                ? (next > range.lowerBound ? range.lowerBound...next - 1 : nil)
                : (next < range.upperBound ? next + 1...range.upperBound : nil)
            if let rest { begin(rest) }
            return
        } else {
            doubted = next
        }
        begin(descending ? range.lowerBound...next : next...range.upperBound)
    }

    /// Whether a block's content can be read, valid or not.
    private func isReadable(_ first: Int64) -> Bool {
        guard let statement = try? database.prepare("SELECT data FROM block WHERE first = ?").bind(1, first) else {
            return false
        }
        defer { statement.reset() }
        return (try? statement.step()) ?? false
    }

    /// Notes a block with its numbers, which may be readable although the content, on other pages, is not.
    private func noteBlock(at first: Int64) {
        let columns = "batch, session, NULL, checksum, first, earliest, latest, last"
        guard let statement = try? database.prepare("SELECT \(columns) FROM block WHERE first = ?").bind(1, first),
            (try? statement.step()) ?? false
        else { return notes.note(LostRecords(first...first, most: 1, earliest: nil, latest: nil)) }
        defer { statement.reset() }
        // A block that can be read by itself must not be removed.
        guard !isReadable(first) else {
            return notes.note(
                LostRecords(
                    first...max(first, statement.integer(7)), most: 1, earliest: statement.integer(5),
                    latest: statement.integer(6)))
        }
        notes.note(block: statement, isPage: true)
    }

    /// Whether a block that was found damaged is intact after all.
    static func isWhole(_ database: Database, _ key: Int64) throws(StoreError) -> Bool {
        let block = try database.prepare("SELECT \(columns) FROM block WHERE first = ?").bind(1, key)
        return try block.step()
            && block.withBytes(2) { bytes in
                guard StoreReader.isWhole(bytes, block), var reader = BlockReader(bytes) else { return false }
                while reader.next() != nil {}
                return !reader.isDamaged
            }
    }

    private func note(_ keys: ClosedRange<Int64>, next: Int64?) {
        // The records of the neighbouring blocks are not lost.
        let first = descending ? keys.lowerBound : max(keys.lowerBound, (before?.last ?? 0) + 1)
        let last = max(first, descending ? min(keys.upperBound, Int64.max - 1) : keys.upperBound)
        let beside = next.flatMap { next in
            (try? database.integer("SELECT \(descending ? "latest" : "earliest") FROM block WHERE first = \(next)"))
                ?? nil
        }
        let times = descending ? (beside, before?.time) : (before?.time, beside)
        notes.note(
            LostRecords(first...last, most: Int(clamping: last - first) + 1, earliest: times.0, latest: times.1))
    }

    /// The highest number known to have been assigned, for when the end of the log cannot be read.
    private func newest(from start: Int64) -> Int64 {
        let sources = [
            "SELECT max(last) FROM stretch", "SELECT max(cursor) FROM destination",
            "SELECT max(first) FROM session_block",
            "SELECT max(sequence) FROM producer",
        ]
        return min(sources.compactMap { (try? database.integer($0)) ?? nil }.max() ?? start, Statement.largest)
    }
}

/// Finds the next readable row of a table after an unreadable page.
struct KeyGap {
    private let probe: Statement
    private let descending: Bool

    init(_ database: Database, table: String, key: String, descending: Bool = false) throws(StoreError) {
        self.descending = descending
        probe = try database.prepare(
            descending
                ? "SELECT \(key) FROM \(table) NOT INDEXED WHERE \(key) <= ?1 ORDER BY \(key) DESC LIMIT 1"
                : "SELECT \(key) FROM \(table) NOT INDEXED WHERE \(key) >= ?1 ORDER BY \(key) LIMIT 1")
    }

    enum Look {
        case unreadable
        case end
        case row(Int64)
    }

    private func look(_ key: Int64) -> Look {
        defer { probe.reset() }
        do throws(StoreError) {
            return try probe.bind(1, key).step() ? .row(probe.integer(0)) : .end
        } catch {
            return .unreadable
        }
    }

    /// The nearest readable row in the direction of the walk. Its key is nil if there is no row; the result is nil if
    /// nothing can be read up to the end.
    ///
    /// Probes further and further away, then bisects between the last unreadable and the first readable place. A
    /// readable page among unreadable ones is found unless it is small in comparison.
    func nearest(to start: Int64, within range: ClosedRange<Int64>) -> (key: Int64?, isBehindGap: Bool)? {
        var (bad, step, looks) = (start, Int64(1), 0)
        switch look(start) {
        case .row(let key): return (range.contains(key) ? key : nil, false)
        case .end: return (nil, false)
        case .unreadable: break
        }
        var good: (place: Int64, look: Look)?
        while good == nil {
            let end = descending ? range.lowerBound : range.upperBound
            guard bad != end else { return nil }
            let place = place(bad, step, end)
            let found = look(place)
            if case .unreadable = found { bad = place } else { good = (place, found) }
            looks += 1
            if step < 1_024 || looks % 64 == 0 { step = min(step * 2, 1 << 60) }
        }
        guard var good else { return nil }
        while (descending ? bad - good.place : good.place - bad) > 1 {
            let middle = bad / 2 + good.place / 2 + (bad % 2 + good.place % 2) / 2
            let found = look(middle)
            if case .unreadable = found { bad = middle } else { good = (middle, found) }
        }
        if case .row(let key) = good.look, range.contains(key) { return (key, true) }
        return nil
    }

    private func place(_ from: Int64, _ step: Int64, _ end: Int64) -> Int64 {
        let (place, overflow) =
            descending ? from.subtractingReportingOverflow(step) : from.addingReportingOverflow(step)
        if overflow { return end }
        return descending ? max(place, end) : min(place, end)
    }
}
