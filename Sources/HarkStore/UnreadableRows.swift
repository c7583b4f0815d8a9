package import HarkCore
internal import HarkSystem
internal import Synchronization

/// A row of the store with invalid content, which is skipped; its neighbours are read as usual.
package struct UnreadableRow: Hashable, Sendable {
    fileprivate let table: ReadTable
    fileprivate let key: [Column]

    /// The kind of thing in the row, without any of its content.
    package var kind: String { table.kind }

    enum Column: Hashable, Sendable {
        case number(Int64)
        case text(String)
        case bytes([UInt8])
    }
}

/// A table in which rows may be unreadable. Each family defines its own.
struct ReadTable: Hashable, Sendable {
    /// The kind of thing in a row.
    let kind: String
    /// The statement that deletes a row by its key and unreadable content, so that a row rewritten meanwhile is kept.
    let deletion: String
    /// The statement that deletes dependent rows, by the first part of the key.
    var alsoDeletes: String?
    /// Whether the row with this key can be read after all.
    var isWhole: (@Sendable (Database, Int64) throws(StoreError) -> Bool)?

    static func == (one: ReadTable, other: ReadTable) -> Bool { one.deletion == other.deletion }

    func hash(into hasher: inout Hasher) { hasher.combine(deletion) }
}

/// Deletes unreadable rows, unless they were rewritten.
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
            // A row that can be read is never removed, even if a reader noted it.
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

/// The rows that readers could not read, each logged once.
package final class UnreadableRows: Sendable {
    /// The number of rows remembered; others are found again once these are removed.
    private static let most = 1_000

    private let rows = Mutex<Set<UnreadableRow>>([])
    private let stretches = Mutex<Set<LostRecords>>([])
    private let tables = Mutex<[String: String]>([:])
    private let damagedTables = Mutex<Set<String>>([])

    package init() {}

    package var all: [UnreadableRow] { rows.withLock { Array($0) } }

    /// The number of rows, pages and tables known to be damaged.
    package var count: Int {
        rows.withLock { $0.count } + stretches.withLock { $0.count { $0.cause != .row } } + tables.withLock { $0.count }
    }

    /// The unreadable parts of the log, in order.
    package var lost: [LostRecords] { stretches.withLock { $0.sorted { $0.first < $1.first } } }

    package var hasDamage: Bool { hasDamagedPages || count > 0 }

    /// Whether pages of the file are known to be damaged, which only a rebuild repairs.
    package var hasDamagedPages: Bool {
        damagedTables.withLock { !$0.isEmpty } || stretches.withLock { $0.contains { $0.cause == .page } }
    }

    /// Notices about damaged or rebuilt tables.
    package var notices: [String] { tables.withLock { tables in tables.keys.sorted().compactMap { tables[$0] } } }

    /// The greatest possible number of unreadable records.
    package var lostRecords: Int { lost.reduce(0) { $0 + $1.most } }

    /// - Parameter isTold: whether to log it.
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

    /// Notes that a table has unreadable pages.
    func noteDamage(of table: String) {
        damagedTables.withLock { _ = $0.insert(table) }
        note(
            table: table,
            "the table '\(table)' of the store is damaged: 'hark repair' rebuilds the store from everything that can be read"
        )
    }

    func note(table: String, _ message: String) {
        if tables.withLock({ $0.updateValue(message, forKey: table) }) != message { Log.error(message) }
    }

    /// Forgets damaged pages and tables, because they were repaired or given up.
    package func forgetPages() {
        stretches.withLock { $0 = [] }
        tables.withLock { $0 = [:] }
        damagedTables.withLock { $0 = [] }
    }

    /// - Parameter key: the parameters of `ReadTable.deletion`.
    func note(_ table: ReadTable, _ key: [UnreadableRow.Column]) {
        let row = UnreadableRow(table: table, key: key)
        let isNew = rows.withLock { $0.count < UnreadableRows.most && $0.insert(row).inserted }
        guard isNew else { return }
        Log.error(
            "\(row.kind) in the store cannot be read and is passed over: 'hark repair' removes it, and restores what the archive tree has"
        )
    }

    /// Forgets rows that were removed.
    package func forget(_ removed: [UnreadableRow]) {
        rows.withLock { $0.subtract(removed) }
    }
}
