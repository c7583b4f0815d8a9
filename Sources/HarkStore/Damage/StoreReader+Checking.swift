internal import HarkCore

/// The position of a check of the store for damage.
package enum CheckPlace: Sendable, Equatable {
    /// At the block that begins with this number or a later one.
    case blocks(Int64)
    /// After the session in this row.
    case sessions(Int64)
    /// At the table with this index.
    case tables(Int)

    package static var start: CheckPlace { .blocks(0) }

    /// The position after a part that could not be checked.
    package var next: CheckPlace? {
        switch self {
        case .blocks: .sessions(.min)
        case .sessions: .tables(0)
        case .tables(let number): number < 100 ? .tables(number + 1) : nil
        }
    }
}

extension StoreReader {
    /// Checks part of the store and notes the rows that cannot be read.
    ///
    /// - Parameter patience: the time to spend, in microseconds. A small table is checked as a whole.
    /// - Returns: the position from which to continue; nil at the end.
    package func check(from place: CheckPlace, patience: Int) throws(StoreError) -> CheckPlace? {
        var patience = Patience(microseconds: patience)
        var place = place
        while true {
            let next: CheckPlace?
            switch place {
            case .blocks(let first): next = try checkBlocks(from: first, &patience)
            case .sessions(let row): next = try checkSessions(after: row)
            case .tables(let number): next = try checkTable(number)
            }
            guard let next else { return nil }
            if patience.isOver { return next }
            place = next
        }
    }

    private func checkBlocks(from first: Int64, _ patience: inout Patience) throws(StoreError) -> CheckPlace {
        var blocks = try BlockWalk(database, unreadable)
        var sessions = BlockSessions(self)
        blocks.begin(first...Int64.max)
        defer { blocks.row.reset() }
        while try blocks.step() {
            _ = try sessions.session(of: blocks.row)
            let isWhole = blocks.row.withBytes(2) { StoreReader.isWhole($0, blocks.row) }
            if !isWhole { unreadable.note(block: blocks.row) }
            let place = blocks.row.integer(4)
            if patience.isOver, place < .max { return .blocks(place + 1) }
        }
        return .sessions(.min)
    }

    private func checkSessions(after row: Int64) throws(StoreError) -> CheckPlace {
        let statement = try database.prepare(
            "SELECT \(StoreReader.sessionColumns) FROM session s WHERE s.row > ? ORDER BY s.row LIMIT 200"
        ).bind(1, row)
        var (last, count) = (row, 0)
        while try statement.step() {
            last = statement.integer(0)
            count += 1
            _ = try listed(in: statement)
        }
        return count < 200 ? .tables(0) : .sessions(last)
    }

    private func checkTable(_ number: Int) throws(StoreError) -> CheckPlace? {
        // Blocks were checked one by one.
        let tables = try TableCheck.tables(database).filter { $0 != "block" }
        guard number < tables.count else { return nil }
        if !TableCheck(database, tables[number]).isWhole { unreadable.noteDamage(of: tables[number]) }
        return .tables(number + 1)
    }
}
