/// Checks whether a table of a store can be read.
struct TableCheck {
    /// Tables that may be large, and are not checked entirely at start.
    private static let large: Set<String> = [
        "block", "session", "session_block", "stretch", "presentation", "run", "machine", "deadLetter", "form_answer",
        "tally",
    ]

    private let database: Database
    let table: String

    init(_ database: Database, _ table: String) {
        self.database = database
        self.table = table
    }

    /// The tables of a store.
    static func tables(_ database: Database) throws(StoreError) -> [String] {
        let statement = try database.prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0) ?? "") }
        return names
    }

    /// Checks whether a store can be used as it is: small tables entirely, and in large ones the pages needed to find
    /// and to add rows.
    static func check(_ database: Database) throws(StoreError) {
        for table in try tables(database) {
            let check = TableCheck(database, table)
            guard large.contains(table) ? check.hasEnds : check.isWhole else {
                throw StoreError(.corrupt, "the table '\(table)' of \(database.path) is damaged")
            }
        }
    }

    /// Whether all pages of the table and its indexes can be read, and agree. Takes as long as reading them.
    var isWhole: Bool {
        guard let statement = try? database.prepare("PRAGMA integrity_check('\(table)')"),
            (try? statement.step()) ?? false
        else { return false }
        defer { statement.reset() }
        return statement.text(0) == "ok"
    }

    /// Whether the first and the last page can be read, which is fast.
    private var hasEnds: Bool {
        do throws(StoreError) {
            let key = try database.key(of: table).joined(separator: " DESC, ")
            _ = try database.integer("SELECT 1 FROM \(table) NOT INDEXED LIMIT 1")
            _ = try database.integer("SELECT 1 FROM \(table) NOT INDEXED ORDER BY \(key) DESC LIMIT 1")
            return true
        } catch {
            return !error.isDamage
        }
    }
}

extension Database {
    /// The columns that define the order of a table's rows.
    func key(of table: String) throws(StoreError) -> [String] {
        let names = try columns(of: table, "WHERE pk > 0 ORDER BY pk")
        return names.isEmpty ? ["rowid"] : names
    }

    func columns(of table: String, _ which: String = "ORDER BY cid") throws(StoreError) -> [String] {
        try prepare("SELECT name FROM pragma_table_info(?) \(which)").bind(1, table).all { $0.text(0) }
    }
}
