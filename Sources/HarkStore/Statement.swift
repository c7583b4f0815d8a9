internal import CSQLite

/// A prepared statement. SQLite copies bound values; columns are valid until the next step.
final class Statement {
    let handle: OpaquePointer
    private let database: Database
    /// The error of a failed binding, such as lack of memory: the value would be NULL, so the statement must not run.
    private var failure = SQLITE_OK

    init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    private func note(_ status: Int32) { if status != SQLITE_OK { failure = status } }

    // SQLITE_TRANSIENT, which is -1 as a function pointer and never called: SQLite makes its own copy.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    @discardableResult
    func bind(_ index: Int32, _ value: Int64?) -> Statement {
        note(value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
        return self
    }

    @discardableResult
    func bind(_ index: Int32, _ value: String?) -> Statement {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return self
        }
        value.withUTF8 { text in
            // An empty Swift string may have no address; SQLite would then bind NULL instead of a text.
            guard !text.isEmpty else { return note(sqlite3_bind_text(handle, index, "", 0, Statement.transient)) }
            text.withMemoryRebound(to: CChar.self) {
                note(
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64($0.count), Statement.transient, UInt8(SQLITE_UTF8)))
            }
        }
        return self
    }

    @discardableResult
    func bind(_ index: Int32, _ value: [UInt8]?) -> Statement {
        guard let value else {
            sqlite3_bind_null(handle, index)
            return self
        }
        value.withUnsafeBytes { bytes in
            if bytes.isEmpty {
                note(sqlite3_bind_zeroblob(handle, index, 0))
            } else {
                note(sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Statement.transient))
            }
        }
        return self
    }

    /// Moves to the next row; false at the end.
    func step() throws(StoreError) -> Bool {
        let status = failure == SQLITE_OK ? sqlite3_step(handle) : failure
        failure = SQLITE_OK
        if status == SQLITE_ROW { return true }
        if status == SQLITE_DONE { return false }
        sqlite3_reset(handle)
        try database.check(status)
        return false
    }

    /// Moves to the next row; false at the end, nil if the file is damaged there.
    func stepUnlessDamaged() throws(StoreError) -> Bool? {
        do throws(StoreError) {
            return try step()
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Runs a statement without result rows, and resets it.
    func run() throws(StoreError) {
        _ = try step()
        sqlite3_reset(handle)
    }

    /// Runs a statement with a last value that is not copied.
    func run(_ index: Int32, _ value: [UInt8]) throws(StoreError) {
        try value.withUnsafeBufferPointer { bytes throws(StoreError) in
            if bytes.isEmpty {
                note(sqlite3_bind_zeroblob(handle, index, 0))
            } else {
                // SQLITE_STATIC, which is null: the value stays in place until it is unbound.
                note(sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil))
            }
            defer { sqlite3_bind_null(handle, index) }
            try run()
        }
    }

    /// The value that `read` makes of the next row; nil if there is none. Resets the statement.
    func first<Value>(_ read: (Statement) throws(StoreError) -> Value?) throws(StoreError) -> Value? {
        defer { reset() }
        return try step() ? try read(self) : nil
    }

    /// The values that `read` makes of the remaining rows. Resets the statement.
    func all<Value>(_ read: (Statement) throws(StoreError) -> Value?) throws(StoreError) -> [Value] {
        defer { reset() }
        var values: [Value] = []
        while try step() { if let value = try read(self) { values.append(value) } }
        return values
    }

    func reset() {
        sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    var columnCount: Int32 { sqlite3_column_count(handle) }

    /// The name of a column in the query.
    func name(of column: Int32) -> String { sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "" }

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// A text that is valid UTF-8; nil otherwise.
    func wholeText(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT, let start = sqlite3_column_text(handle, column) else {
            return nil
        }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The size of a text or blob, in bytes.
    func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

    func bytes(_ column: Int32) -> [UInt8] {
        withBytes(column) { Array($0) }
    }

    /// Calls `body` with a blob in place, valid during the call.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
        let count = Int(sqlite3_column_bytes(handle, column))
        return body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
    }
}
