internal import CSQLite
internal import CStoreFile

/// A connection to the SQLite file. Belongs to one thread; not shared.
final class Database {
    enum Access {
        /// Creates the file if it is missing.
        case write
        case read
    }

    let handle: OpaquePointer
    let path: String

    /// - Parameter isTrusted: whether to read pages without verifying their checksums.
    init(path: String, access: Access, isTrusted: Bool = false) throws(StoreError) {
        var opened: OpaquePointer?
        let flags =
            access == .write
            ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            : SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        _ = Self.isFrugal
        // If this fails, SQLite does not know the VFS, and refuses to open the store.
        _ = Self.isBlanking
        let status =
            isTrusted
            ? sqlite3_open_v2(Self.trusting(path), &opened, flags | SQLITE_OPEN_URI, HARK_STORE_VFS)
            : sqlite3_open_v2(path, &opened, flags, HARK_STORE_VFS)
        guard status == SQLITE_OK, let opened else {
            let error = Database.error(opened, status: status, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        self.path = path
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 5_000)
        if access == .write { countLogPages() }
    }

    deinit {
        sqlite3_finalize(begin)
        sqlite3_finalize(end)
        sqlite3_close_v2(handle)
    }

    /// Turns off SQLite's preallocation of twenty pages per connection: for five connections that is 0.4 MB, mostly
    /// unused.
    private static let isFrugal = hark_sqlite_allocate_no_pages_ahead() == SQLITE_OK

    /// Registers a VFS that blanks moved content in the pages it writes (`CStoreFile`).
    private static let isBlanking = hark_store_vfs_register() == SQLITE_OK

    private static func trusting(_ path: String) -> String {
        let escaped = path.map { character in
            switch character {
            case "%": "%25"
            case "?": "%3F"
            case "#": "%23"
            default: String(character)
            }
        }
        return "file:" + escaped.joined() + "?\(HARK_STORE_TRUSTED)=1"
    }

    /// Whether the file's pages end with checksums (`CStoreFile`). Files of earlier versions have none.
    var hasChecksums: Bool {
        var count: Int32 = -1
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
        return count == HARK_STORE_CHECKSUM_BYTES
    }

    /// Reserves space for checksums at the end of the pages of a new file.
    func reserveChecksums() throws(StoreError) {
        var count = Int32(HARK_STORE_CHECKSUM_BYTES)
        try check(sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &count))
    }

    func execute(_ sql: String) throws(StoreError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    func prepare(_ sql: String) throws(StoreError) -> Statement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw StoreError(.internal, "an empty statement was prepared") }
        return Statement(statement, of: self)
    }

    /// The first column of the first row of a query, as an integer; nil for no row or NULL.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step() else { return nil }
        return statement.isNull(0) ? nil : statement.integer(0)
    }

    /// The statements around every transaction, prepared once. Not `Statement`s, which would retain the connection.
    private var begin: OpaquePointer?
    private var end: OpaquePointer?

    private func run(_ statement: inout OpaquePointer?, _ sql: String) throws(StoreError) {
        if statement == nil {
            try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        }
        sqlite3_step(statement)
        // Returns the error of the step.
        try check(sqlite3_reset(statement))
    }

    /// Runs `body` in a transaction; an error rolls it back.
    func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        try run(&begin, "BEGIN IMMEDIATE")
        do {
            try body()
            try run(&end, "COMMIT")
        } catch {
            // After some errors (disk full, I/O) SQLite has already rolled back.
            if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
            throw error
        }
    }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The number of pages in the write-ahead log after this connection's last commit.
    private(set) var logPages = 0

    private func countLogPages() {
        // The hook replaces SQLite's own checkpoints. It does not outlive the connection, because closing drops both.
        sqlite3_wal_hook(
            handle,
            { database, _, _, pages in
                if let database {
                    Unmanaged<Database>.fromOpaque(database).takeUnretainedValue().logPages = Int(pages)
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    enum CheckpointMode: Int32 {
        case passive = 0
        case truncate = 3
    }

    /// Copies the write-ahead log into the database file.
    /// - Returns: false when other connections prevented a complete copy.
    func checkpoint(_ mode: CheckpointMode) throws(StoreError) -> Bool {
        let status = sqlite3_wal_checkpoint_v2(handle, nil, mode.rawValue, nil, nil)
        if status & 0xff == SQLITE_BUSY { return false }
        try check(status)
        return true
    }

    /// The number of pages in the write-ahead log according to its shared index; copies pages where possible.
    func agreedLogPages() throws(StoreError) -> Int {
        var pages: Int32 = 0
        let status = sqlite3_wal_checkpoint_v2(handle, nil, CheckpointMode.passive.rawValue, &pages, nil)
        if status & 0xff != SQLITE_BUSY { try check(status) }
        return Int(pages)
    }

    /// The path of SQLite's log. If the path of the store is a link, it is next to the file itself.
    var logPath: String {
        guard let name = sqlite3_db_filename(handle, nil), let log = sqlite3_filename_wal(name) else {
            return path + "-wal"
        }
        return String(cString: log)
    }

    /// Drops the page cache; pages are read again as needed.
    func forgetPages() { sqlite3_db_release_memory(handle) }

    func check(_ status: Int32) throws(StoreError) {
        guard status == SQLITE_OK else { throw Database.error(handle, status: status, path: path) }
    }

    /// The error for a full disk.
    var full: StoreError { Database.full(path) }

    static func full(_ path: String) -> StoreError {
        StoreError(
            .full,
            "the disk that holds \(path) is full; free some space, or remove data with 'hark clear': Hark goes on by itself"
        )
    }

    /// SQLITE_IOERR_READ and SQLITE_IOERR_CORRUPTFS, macros that Swift does not import.
    private static let (readFailed, fileSystemIsCorrupt) = (SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 33 << 8)
    /// SQLITE_IOERR_SHMSIZE: the index of the log could not grow.
    private static let indexCannotGrow = SQLITE_IOERR | 19 << 8

    private static func error(_ handle: OpaquePointer?, status: Int32, path: String) -> StoreError {
        let detail = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(status))
        // Data that the disk cannot read (a bad sector) is as lost as wrong data.
        let isLost = status == Database.readFailed || status == Database.fileSystemIsCorrupt
        switch isLost ? SQLITE_CORRUPT : status == Database.indexCannotGrow ? SQLITE_FULL : status & 0xff {
        case SQLITE_FULL:
            return full(path)
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
            return StoreError(
                .inaccessible,
                "cannot open \(path) for writing (\(detail)); check that its folder exists, is writable by this user "
                    + "and is not on a read-only file system")
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT:
            return StoreError(
                .corrupt,
                "\(path) is damaged (\(detail)); 'hark repair' rebuilds it from everything that can be read, and "
                    + "from the archive tree. If harkd does not start, move the file aside, start harkd, and then "
                    + "run 'hark repair'"
            )
        case SQLITE_NOMEM:
            return StoreError(.internal, "there is no memory to read or write \(path) just now; try again later")
        case SQLITE_IOERR:
            return StoreError(.inputOutput, "reading or writing \(path) failed (\(detail)); check the disk")
        default:
            return StoreError(.internal, "SQLite refused an operation on \(path): \(detail) (\(status))")
        }
    }
}
