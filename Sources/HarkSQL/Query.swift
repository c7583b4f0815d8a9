internal import CSQLite

/// A statement that is ready to run, once.
package final class Query {
    let handle: OpaquePointer
    private let database: LiveDatabase

    /// The names of the columns.
    package let columns: [String]
    /// The types of columns that belong to a table; nil for expressions.
    package let types: [ColumnType?]

    init(_ handle: OpaquePointer, of database: LiveDatabase) {
        self.handle = handle
        self.database = database
        columns = (0..<sqlite3_column_count(handle)).map {
            sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? ""
        }
        types = (0..<sqlite3_column_count(handle)).map {
            sqlite3_column_decltype(handle, $0).flatMap { ColumnType(declared: String(cString: $0)) }
        }
    }

    deinit { sqlite3_finalize(handle) }

    /// Moves to the next row; false at the end. Throws an `SQLError`, or the daemon's error.
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            let failure = database.failure()
            sqlite3_reset(handle)
            throw failure
        }
    }

    /// A value of the row. Invalid UTF-8 in a text is replaced.
    package func value(_ column: Int) -> SQLValue {
        let column = CInt(column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let text = sqlite3_column_text(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            return .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, column)
            let count = Int(sqlite3_column_bytes(handle, column))
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
        default: return .null
        }
    }
}
