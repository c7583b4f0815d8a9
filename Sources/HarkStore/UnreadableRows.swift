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
    /// What goes with it, by the first part of its key.
    var alsoDeletes: String?
    /// Whether the row with this key can be read after all.
    var isWhole: (@Sendable (Database, Int64) throws(StoreError) -> Bool)?

    static func == (one: ReadTable, other: ReadTable) -> Bool { one.deletion == other.deletion }

    func hash(into hasher: inout Hasher) { hasher.combine(deletion) }
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
        try StoreNotices.forget(database)
        for row in removal.rows {
            // What can be read is never removed, whatever a reader met.
            if let isWhole = row.table.isWhole, case .number(let key)? = row.key.first, try isWhole(database, key) {
                continue
            }
            let statement = try database.prepare(row.table.deletion)
            for (index, column) in zip(Int32(1)..., row.key) {
                switch column {
                case .number(let number): statement.bind(index, number)
                case .text(let text): statement.bind(index, text)
                case .bytes(let bytes): statement.bind(index, bytes)
                }
            }
            try statement.run()
            if let more = row.table.alsoDeletes, case .number(let key)? = row.key.first {
                try database.prepare(more).bind(1, key).run()
            }
        }
    }
}

/// The rows that readers have met and could not read, each told once in the log.
package final class UnreadableRows: Sendable {
    /// So many are remembered; the others are met again once these are removed.
    private static let most = 1_000

    private let rows = Mutex<Set<UnreadableRow>>([])
    private let stretches = Mutex<Set<LostRecords>>([])
    private let tables = Mutex<[String: String]>([:])
    private let damagedTables = Mutex<Set<String>>([])

    package init() {}

    package var all: [UnreadableRow] { rows.withLock { Array($0) } }

    /// How many rows, pages and tables are known to be damaged.
    package var count: Int {
        rows.withLock { $0.count } + stretches.withLock { $0.count { $0.cause != .row } } + tables.withLock { $0.count }
    }

    /// What of the log cannot be read, in its order.
    package var lost: [LostRecords] { stretches.withLock { $0.sorted { $0.first < $1.first } } }

    package var hasDamage: Bool { hasDamagedPages || count > 0 }

    /// Whether pages of the file are known to be damaged: only to make the store anew helps.
    package var hasDamagedPages: Bool {
        damagedTables.withLock { !$0.isEmpty } || stretches.withLock { $0.contains { $0.cause == .page } }
    }

    /// What is damaged of tables, or became of it.
    package var notices: [String] { tables.withLock { tables in tables.keys.sorted().compactMap { tables[$0] } } }

    /// How many records there are at most that cannot be read.
    package var lostRecords: Int { lost.reduce(0) { $0 + $1.most } }

    /// - Parameter isTold: in the log.
    func note(_ records: LostRecords, isTold: Bool = true) {
        let isNew = stretches.withLock { known in
            guard known.count < UnreadableRows.most,
                !known.contains(where: { $0.first <= records.first && records.last <= $0.last })
            else { return false }
            known = known.filter { $0.first < records.first || $0.last > records.last }
            known.insert(records)
            return records.cause != .earlier
        }
        if isNew, isTold {
            Log.error("the store's file is damaged: \(records.text) cannot be read and are passed over")
        }
    }

    /// A table has pages that cannot be read.
    func noteDamage(of table: String) {
        damagedTables.withLock { _ = $0.insert(table) }
        note(
            table: table,
            "the table '\(table)' of the store is damaged: 'hark repair' makes the store anew of what can be read of it"
        )
    }

    func note(table: String, _ message: String) {
        if tables.withLock({ $0.updateValue(message, forKey: table) }) != message { Log.error(message) }
    }

    /// All of it was mended, or let go of.
    package func forgetPages() {
        stretches.withLock { $0 = [] }
        tables.withLock { $0 = [:] }
        damagedTables.withLock { $0 = [] }
    }

    /// - Parameter key: what `ReadTable.deletion` is given.
    func note(_ table: ReadTable, _ key: [UnreadableRow.Column]) {
        let row = UnreadableRow(table: table, key: key)
        let isNew = rows.withLock { $0.count < UnreadableRows.most && $0.insert(row).inserted }
        guard isNew else { return }
        Log.error(
            "\(row.kind) in the store cannot be read and is passed over: 'hark repair' removes it, and brings back what the archive tree has"
        )
    }

    /// They were removed.
    package func forget(_ removed: [UnreadableRow]) {
        rows.withLock { $0.subtract(removed) }
    }
}
