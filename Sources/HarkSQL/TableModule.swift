internal import CSQLite
import HarkClient

/// A virtual table for SQLite: `sqlite3_module`, and the objects behind SQLite's handles.
///
/// Rows are fetched from the daemon on demand. A table exists by its module alone, without being created.
final class TableModule {
    let table: LiveTable
    /// The table's columns, then the properties in the statement.
    let columns: [Column]
    let feed: Feed
    /// Whether each text of a list (`IN`) is looked up in the daemon.
    let looksUpLists: Bool
    /// The property columns that were read from a row, and the ones that a row had.
    private(set) var looked: Set<Int> = []
    private(set) var found: Set<Int> = []

    private let readOnly: ReadOnly

    init(_ table: LiveTable, properties: [String], _ feed: Feed, _ readOnly: ReadOnly, looksUpLists: Bool) {
        self.table = table
        self.looksUpLists = looksUpLists
        self.readOnly = readOnly
        columns = table.columns + properties.map { Column(property: $0) }
        self.feed = feed
    }

    func note(_ column: Int, wasFound: Bool) {
        if wasFound { found.insert(column) } else { looked.insert(column) }
    }

    /// The properties that no row had so far.
    var missing: [String] { looked.subtracting(found).sorted().map { columns[$0].name } }

    /// Registers the table with a connection, replacing one of the same name.
    func register(in database: OpaquePointer) -> CInt {
        sqlite3_create_module_v2(
            database, table.name, Self.functions, Unmanaged.passRetained(self).toOpaque(),
            { $0.map { Unmanaged<TableModule>.fromOpaque($0).release() } })
    }

    private func declare(in database: OpaquePointer?) -> CInt {
        readOnly.isDeclaring = true
        defer { readOnly.isDeclaring = false }
        return sqlite3_declare_vtab(
            database, "CREATE TABLE x(\(columns.map(\.declaration).joined(separator: ", ")))")
    }

    /// Never changed or freed, because SQLite keeps the address.
    nonisolated(unsafe) private static let functions: UnsafePointer<sqlite3_module> = {
        let functions = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var module = sqlite3_module()
        module.iVersion = 1
        // Without xCreate the table exists by itself, and no other of its kind can be created.
        module.xConnect = { database, module, _, _, table, error in
            let status = TableModule.connect(database, module, table)
            if status != SQLITE_OK { error?.pointee = hark_sqlite_text(sqlite3_errmsg(database)) }
            return status
        }
        module.xDisconnect = { table in TableModule.disconnect(table) }
        module.xBestIndex = { table, plan in TableModule.plan(table, plan) }
        module.xOpen = { table, cursor in TableModule.open(table, cursor) }
        module.xClose = { cursor in TableModule.close(cursor) }
        module.xFilter = { cursor, number, text, count, values in
            TableCursor.of(cursor)?.filter(number, text, count, values) ?? SQLITE_MISUSE
        }
        module.xNext = { cursor in TableCursor.of(cursor)?.advance() ?? SQLITE_MISUSE }
        module.xEof = { cursor in TableCursor.of(cursor)?.isAtEnd == false ? 0 : 1 }
        module.xColumn = { cursor, context, column in
            TableCursor.of(cursor)?.give(column, to: context) ?? SQLITE_MISUSE
        }
        module.xRowid = { cursor, number in
            guard let cursor = TableCursor.of(cursor) else { return SQLITE_MISUSE }
            number?.pointee = cursor.number
            return SQLITE_OK
        }
        functions.initialize(to: module)
        return UnsafePointer(functions)
    }()

    // MARK: SQLite's handles

    static func of(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> TableModule? {
        guard let table else { return nil }
        let object = UnsafeMutableRawPointer(table).assumingMemoryBound(to: hark_sqlite_table.self).pointee.object
        return object.map { Unmanaged<TableModule>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func connect(
        _ database: OpaquePointer?, _ module: UnsafeMutableRawPointer?,
        _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?
    ) -> CInt {
        guard let module else { return SQLITE_MISUSE }
        let definition = Unmanaged<TableModule>.fromOpaque(module)
        let status = definition.takeUnretainedValue().declare(in: database)
        guard status == SQLITE_OK else { return status }
        let memory = UnsafeMutablePointer<hark_sqlite_table>.allocate(capacity: 1)
        memory.initialize(to: hark_sqlite_table(base: sqlite3_vtab(), object: definition.retain().toOpaque()))
        table?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab.self)
        return SQLITE_OK
    }

    private static func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CInt {
        guard let table else { return SQLITE_OK }
        let memory = UnsafeMutableRawPointer(table).assumingMemoryBound(to: hark_sqlite_table.self)
        if let object = memory.pointee.object { Unmanaged<TableModule>.fromOpaque(object).release() }
        memory.deallocate()
        return SQLITE_OK
    }

    private static func open(
        _ table: UnsafeMutablePointer<sqlite3_vtab>?,
        _ cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
    ) -> CInt {
        guard let module = of(table) else { return SQLITE_MISUSE }
        let memory = UnsafeMutablePointer<hark_sqlite_cursor>.allocate(capacity: 1)
        let object = Unmanaged.passRetained(TableCursor(module)).toOpaque()
        memory.initialize(to: hark_sqlite_cursor(base: sqlite3_vtab_cursor(), object: object))
        cursor?.pointee = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
        return SQLITE_OK
    }

    private static func close(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt {
        guard let cursor else { return SQLITE_OK }
        let memory = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: hark_sqlite_cursor.self)
        if let object = memory.pointee.object { Unmanaged<TableCursor>.fromOpaque(object).release() }
        memory.deallocate()
        return SQLITE_OK
    }
}
