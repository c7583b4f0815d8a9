package import HarkCore
internal import HarkSystem
internal import Synchronization

/// A row of the store that cannot be made sense of: it is passed over, and its neighbours are read as ever.
package struct UnreadableRow: Hashable, Sendable {
    fileprivate let table: ReadTable
    fileprivate let key: [Column]

    /// What it was meant to be, without a word of what is in it.
    package var kind: String { table.kind }

    enum Column: Hashable, Sendable {
        case number(Int64)
        case text(String)
        case bytes([UInt8])
    }
}

/// A table in which rows may turn out to be unreadable. Each family says so of its own.
struct ReadTable: Hashable, Sendable {
    /// What a row of it is.
    let kind: String
    /// Deletes a row by its key and what was found in it, so that a row that was written anew meanwhile is never taken for it.
    let deletion: String
}

/// Has the store delete rows that cannot be read, unless they were written anew.
private struct UnreadableRemoval: FamilyRow {
    let rows: [UnreadableRow]
}

extension Engine {
    /// Deletes rows that cannot be read.
    package mutating func removeUnreadable(_ rows: [UnreadableRow], into changes: inout Changes) {
        keep(UnreadableRemoval(rows: rows), into: &changes)
    }
}

extension StoreFamily {
    static let unreadable = StoreFamily { UnreadableWriter($0) }
}

private final class UnreadableWriter: FamilyWriter {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func write(_ removal: UnreadableRemoval) throws(StoreError) {
        for row in removal.rows {
            let statement = try database.prepare(row.table.deletion)
            for (index, column) in zip(Int32(1)..., row.key) {
                switch column {
                case .number(let number): statement.bind(index, number)
                case .text(let text): statement.bind(index, text)
                case .bytes(let bytes): statement.bind(index, bytes)
                }
            }
            try statement.run()
        }
    }
}

/// The rows that readers have met and could not read, each told once in the log.
package final class UnreadableRows: Sendable {
    /// So many are remembered; the others are met again once these are removed.
    private static let most = 1_000

    private let rows = Mutex<Set<UnreadableRow>>([])

    package init() {}

    package var all: [UnreadableRow] { rows.withLock { Array($0) } }

    package var count: Int { rows.withLock { $0.count } }

    /// Reads a row, or notes that it cannot be read.
    /// - Throws: What the store says of itself; a row that makes no sense is no reason.
    func passOver<Value>(
        _ table: ReadTable, _ key: [UnreadableRow.Column], _ read: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        do throws(StoreError) {
            return try read()
        } catch {
            guard error.code == .damaged else { throw error }
            note(table, key)
            return nil
        }
    }

    /// - Parameter key: what `ReadTable.deletion` is given.
    func note(_ table: ReadTable, _ key: [UnreadableRow.Column]) {
        let row = UnreadableRow(table: table, key: key)
        let isNew = rows.withLock { $0.count < UnreadableRows.most && $0.insert(row).inserted }
        guard isNew else { return }
        Log.error("\(row.kind) in the store cannot be read and is passed over; daemon.repair removes it")
    }

    /// They were removed.
    package func forget(_ removed: [UnreadableRow]) {
        rows.withLock { $0.subtract(removed) }
    }
}
