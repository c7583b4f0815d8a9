internal import CSQLite
package import HarkClient
import HarkWire

/// A read-only SQLite database over the daemon's data. It has no file, and one thread may use it.
///
/// SQLite itself enforces that nothing is changed (`ReadOnly`), not an inspection of the text.
package final class LiveDatabase {
    private let handle: OpaquePointer
    private let feed: Feed
    private let readOnly = ReadOnly()
    /// The tables of the last statement.
    private var modules: [TableModule] = []

    /// Limits of statements in bytes. Data to sort or group beyond SQLite's own two megabytes goes into files that no
    /// other process can see.
    private static let longestText: CInt = 1 << 20
    private static let longestValue: CInt = 64 << 20
    private static let mostMemory: Int64 = 512 << 20
    /// The maximum number of property columns.
    private static let mostProperties = 200

    /// - Parameters:
    ///   - interruption: A descriptor that becomes readable when a statement is to end.
    ///   - connect: Connects to the daemon, on demand.
    package init(interruption: CInt? = nil, _ connect: @escaping () throws -> Connection) throws(SQLError) {
        feed = Feed(interruption: interruption, connect)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(":memory:", &opened, flags, nil) == SQLITE_OK, let opened else {
            sqlite3_close_v2(opened)
            throw SQLError(.other, "SQLite cannot be started")
        }
        handle = opened
        sqlite3_hard_heap_limit64(Self.mostMemory)
        sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, Self.longestText)
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longestValue)
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_WORKER_THREADS, 0)
        guard hark_sqlite_confine(handle) == SQLITE_OK, readOnly.enforce(in: handle) == SQLITE_OK,
            TimeText.register(in: handle) == SQLITE_OK
        else { throw SQLError(.other, "SQLite cannot be made read-only") }
        if let interruption { Interruption.watch(interruption, in: handle) }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Whether a text consists of complete statements.
    package static func isComplete(_ text: String) -> Bool { sqlite3_complete(text) != 0 }

    /// Prepares the first statement of a text. Returns it, or nil if there is none, and the length of its text.
    ///
    /// An unknown column name is a property if a table in the statement has properties.
    package func prepare(_ text: some Collection<UInt8>) throws(SQLError) -> (query: Query?, length: Int) {
        let bytes = Array(text)
        guard !bytes.contains(0) else { throw SQLError(.text, "a statement has no NUL character in it") }
        guard bytes.count < Int(Self.longestText) else {
            throw SQLError(.text, "a statement is longer than \(Self.longestText) bytes")
        }
        feed.begin()
        var properties: [String: [String]] = [:]
        var attempt = try prepare(bytes, properties)
        while case .failure(let error) = attempt, let unknown = UnknownColumn(error) {
            guard properties.reduce(0, { $0 + $1.value.count }) < Self.mostProperties else {
                throw SQLError(
                    .text, "a statement asks for more than \(Self.mostProperties) properties",
                    hint: "Take them from the JSON: properties ->> 'name'.")
            }
            guard let (next, more) = try resolve(unknown, error, bytes, properties) else { throw error }
            properties = more
            attempt = next
        }
        return try attempt.get()
    }

    private typealias Attempt = Swift.Result<(query: Query?, length: Int), SQLError>

    /// Declares an unknown name as a property in one table after the other, until SQLite reports another error or none.
    private func resolve(
        _ unknown: UnknownColumn, _ error: SQLError, _ text: [UInt8], _ properties: [String: [String]]
    ) throws(SQLError) -> (Attempt, [String: [String]])? {
        let tables = LiveTable.all.filter { $0.properties != nil }.map(\.name)
        // Try a single table first; then all tables, because the name may occur in several parts of the statement.
        for name in unknown.names {
            for some in tables.map({ [$0] }) + [tables] {
                var more = properties
                for table in some where more[table]?.contains(name) != true { more[table, default: []].append(name) }
                guard more != properties else { continue }
                let attempt = try prepare(text, more)
                if case .failure(let next) = attempt, next.message == error.message, next.offset == error.offset {
                    continue
                }
                return (attempt, more)
            }
        }
        return nil
    }

    private func prepare(
        _ text: [UInt8], _ properties: [String: [String]], looksUpLists: Bool = true
    ) throws(SQLError) -> Attempt {
        modules = LiveTable.all.map {
            TableModule($0, properties: properties[$0.name] ?? [], feed, readOnly, looksUpLists: looksUpLists)
        }
        for module in modules where module.register(in: handle) != SQLITE_OK { throw lastError() }
        var statement: OpaquePointer?
        var length = text.count
        let status = (text + [0]).withUnsafeBufferPointer { text in
            text.withMemoryRebound(to: CChar.self) { text in
                var end: UnsafePointer<CChar>?
                let status = sqlite3_prepare_v3(handle, text.baseAddress, -1, 0, &statement, &end)
                if let end, let start = text.baseAddress { length = end - start }
                return status
            }
        }
        guard status == SQLITE_OK else { return .failure(lastError()) }
        guard let statement else { return .success((nil, length)) }
        guard sqlite3_stmt_readonly(statement) != 0 else {
            sqlite3_finalize(statement)
            return .failure(ReadOnly.refusal)
        }
        if looksUpLists, Self.hasCollation(text[..<length]) {
            sqlite3_finalize(statement)
            return try prepare(text, properties, looksUpLists: false)
        }
        return .success((Query(statement, of: self), length))
    }

    /// Whether a statement may use a collation.
    ///
    /// SQLite turns `a = x COLLATE NOCASE OR a = y` into a look-up of `a IN (x, y)`, which loses the collation and
    /// misses rows. It does that for its own indexes too (3.40), and a table cannot know where a list comes from.
    private static func hasCollation(_ statement: ArraySlice<UInt8>) -> Bool {
        let word = Array("collate".utf8)
        return statement.indices.contains { place in
            statement[place...].prefix(word.count).elementsEqual(word) { $0 | 0x20 == $1 }
        }
    }

    /// Returns the last error: the daemon's, if there was one.
    func failure() -> any Error {
        defer { feed.failure = nil }
        return feed.failure ?? lastError()
    }

    private func lastError() -> SQLError {
        let message = String(cString: sqlite3_errmsg(handle))
        let place = sqlite3_error_offset(handle)
        let offset = place >= 0 ? Int(place) : nil
        switch sqlite3_errcode(handle) {
        case SQLITE_AUTH: return ReadOnly.refusal
        case SQLITE_INTERRUPT: return SQLError(.interrupted, "interrupted")
        case SQLITE_NOMEM, SQLITE_TOOBIG:
            return SQLError(
                .space, "the statement needs more memory than a statement may have",
                hint: "Narrow it down: one value may take 64 MiB, and all of them 512 MiB.")
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_CANTOPEN:
            return SQLError(
                .space, "no room to sort: \(message)",
                hint: "Free space in the folder for temporary files, or name another in SQLITE_TMPDIR.")
        case SQLITE_ERROR where message.hasPrefix("not authorized") || message.hasSuffix("may not be modified"):
            return ReadOnly.refusal
        case SQLITE_READONLY: return ReadOnly.refusal
        case SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT, SQLITE_RANGE:
            return SQLError(.text, message, offset: offset, hint: Hints.hint(for: message))
        default: return SQLError(.other, message, offset: offset)
        }
    }

    /// Column names of properties that no row had, each with a similar column if there is one.
    package var missingProperties: [(name: String, column: String?)] {
        var missing: [(name: String, column: String?)] = []
        for module in modules {
            for name in module.missing where !missing.contains(where: { $0.name == name }) {
                missing.append((name, Suggestion.nearest(to: name, among: module.table.columns.map(\.name))))
            }
        }
        return missing
    }
}
