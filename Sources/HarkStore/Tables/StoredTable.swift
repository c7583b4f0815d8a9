/// A table of the store, declared once: SQL texts, binding and reading come from its function `map`.
///
/// The function is called with different maps, as `MemberMap` is for the wire. No list of columns is made, so it costs nothing at
/// the start. Migrations are written out separately, because they never change; a test compares both.
protocol StoredTable {
    associatedtype Row

    static var name: String { get }

    /// Whether an unreadable text or id counts as empty, because the whole query would fail otherwise: for tables whose
    /// unreadable rows are not skipped.
    static var mendsTexts: Bool { get }

    /// Visits every column, always in the same order, and makes a row of the values that were read. An error about values
    /// that contradict each other is thrown after the last column.
    static func map(_ column: inout Columns<Row>) throws(StoreError) -> Row
}

extension StoredTable {
    static var mendsTexts: Bool { false }

    /// Reads whole rows; WHERE and ORDER BY may follow.
    static var selection: String { "SELECT \(columns(.read)) FROM \(name)" }

    /// Writes a new row. The places are numbered from 1 on, and have the names of their columns.
    static var insertion: String { "INSERT INTO \(name)(\(columns(.written))) VALUES (\(columns(.places)))" }

    /// Writes a new row or changes the one with the same key.
    static var upsert: String { "\(insertion) ON CONFLICT(\(columns(.keys))) DO UPDATE SET \(columns(.changes))" }

    /// - Parameter alias: The alias of the table, with its point.
    static func columns(_ list: ColumnList, of alias: String = "") -> String {
        var columns = Columns<Row>(list: list, alias: alias)
        columns.text.reserveCapacity(512)
        // The empty values of this row may contradict each other. By then, all columns were visited.
        _ = try? map(&columns)
        return columns.text
    }

    /// Binds the written values of a row, from the first parameter on.
    static func bind(_ row: Row, to statement: Statement) -> Statement {
        withUnsafePointer(to: row) { row in
            var columns = Columns<Row>(row: row, statement: statement)
            _ = try? map(&columns)
        }
        return statement
    }

    /// - Parameter statement: A statement that begins with `selection`, or with its columns.
    static func read(_ statement: Statement) throws(StoreError) -> Row {
        var columns = Columns<Row>(statement: statement, mendsTexts: mendsTexts)
        let row = try map(&columns)
        if let error = columns.error { throw error }
        return row
    }

    /// The next row of a query.
    static func first(_ statement: Statement) throws(StoreError) -> Row? {
        try statement.first { row throws(StoreError) in try read(row) }
    }

    /// The rest of the rows of a query.
    static func all(_ statement: Statement) throws(StoreError) -> [Row] {
        try statement.all { row throws(StoreError) in try read(row) }
    }
}

/// A table with the column `row`, whose unreadable rows are skipped and noted.
protocol NumberedTable: StoredTable {
    /// The kind of content in a row, for notes of damage.
    static var kind: String { get }
}

extension NumberedTable {
    /// Reads whole rows, with the number of each as the last column; WHERE and ORDER BY may follow.
    static var selection: String { "SELECT \(columns(.read)), row FROM \(name)" }

    /// The number of a row that `selection` has read.
    static func number(_ statement: Statement) -> Int64 { statement.integer(statement.columnCount - 1) }

    /// - Parameter statement: A statement that begins with `selection`.
    /// - Returns: Nil if the row cannot be read, which is noted.
    static func read(
        _ statement: Statement, _ notes: DamageNotes,
        _ read: (Statement) throws(StoreError) -> Row = { row throws(StoreError) in try read(row) }
    ) throws(StoreError) -> Row? {
        try notes.passOver(
            ReadTable(kind: kind, deletion: "DELETE FROM \(name) WHERE row = ?"), [.number(number(statement))]
        ) { () throws(StoreError) in try read(statement) }
    }

    /// The readable ones among the rest of the rows of a query.
    static func all(_ statement: Statement, _ notes: DamageNotes) throws(StoreError) -> [Row] {
        try statement.all { row throws(StoreError) in try read(row, notes) }
    }
}

/// The role of a column.
enum ColumnRole {
    /// A part of the key by which an existing row is found.
    case key
    /// Written with a new row and never changed.
    case fixed
    case value
    /// Written for indexes and conditions, and not read.
    case derived
    /// Read here, and written by separate statements.
    case kept
}

/// A list of columns for a statement.
enum ColumnList {
    case read
    case written
    /// The parameters of the written columns.
    case places
    case keys
    case changes
}

/// A pass over the columns of a table, which names, writes or reads each column.
struct Columns<Row> {
    fileprivate var list = ColumnList.read
    fileprivate var alias = ""
    fileprivate var text = ""
    fileprivate var row: UnsafePointer<Row>?
    fileprivate var statement: Statement?
    fileprivate var mendsTexts = false
    fileprivate var count: Int32 = 0
    /// The error of a column that could not be read.
    fileprivate var error: StoreError?

    /// The row that is being written; its values are only written, and no new row is made of them.
    var written: Row? { row?.pointee }

    /// - Parameter value: The value of a row to write.
    /// - Returns: The value that was read, or the one that was written, or an empty one.
    mutating func callAsFunction<Value: StoredValue>(
        _ name: StaticString, _ role: ColumnRole = .value, _ value: (Row) -> Value
    ) -> Value {
        guard let statement else {
            add(name.description, role)
            return Value()
        }
        guard role != (row == nil ? .derived : .kept) else { return Value() }
        count += 1
        if let row {
            let value = value(row.pointee)
            value.bind(to: statement, count)
            return value
        }
        do throws(StoreError) {
            return try Value.read(statement, count - 1)
        } catch {
            if !mendsTexts || Value.self is any StoredNumber.Type { self.error = error }
            return Value()
        }
    }

    private mutating func add(_ name: String, _ role: ColumnRole) {
        let isMeant =
            switch list {
            case .read: role != .derived
            case .written, .places: role != .kept
            case .keys: role == .key
            case .changes: role == .value || role == .derived
            }
        guard isMeant else { return }
        if !text.isEmpty { text += ", " }
        text += list == .places ? ":" : alias
        text += name
        if list == .changes { text += " = excluded.\(name)" }
    }
}
