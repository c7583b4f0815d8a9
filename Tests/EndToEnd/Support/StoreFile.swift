import CSQLite
import CStoreFile
import Foundation

/// A store's file, read and changed behind the daemon's back.
struct StoreFile {
    let path: String

    init(of home: DaemonHome) { path = home.state + "/hark.db" }

    var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    static let pageSize = 4096

    private static let isKnown = hark_store_vfs_register() == SQLITE_OK

    /// As Hark opens it: what is written gets checksums.
    static func connect(_ path: String, _ database: inout OpaquePointer?) -> Int32 {
        guard isKnown else { return SQLITE_ERROR }
        return sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, HARK_STORE_VFS)
    }

    func execute(_ sql: String) throws { _ = try query(sql) }

    /// The first column of each row, as a number.
    func query(_ sql: String) throws -> [Int64] { try query(sql) { sqlite3_column_int64($0, 0) } }

    /// The first column of each row, as a text.
    func texts(_ sql: String) throws -> [String] {
        try query(sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } ?? "" }
    }

    private func query<Value>(_ sql: String, _ read: (OpaquePointer?) -> Value) throws -> [Value] {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        // The daemon may be at work in it.
        guard Self.connect(path, &database) == SQLITE_OK, sqlite3_busy_timeout(database, 20_000) == SQLITE_OK else {
            throw Failure("cannot open \(path)")
        }
        var statement: OpaquePointer?
        var values: [Value] = []
        // One statement after the other, as `sqlite3_exec` does, but with the numbers.
        try sql.withCString { text in
            var rest: UnsafePointer<CChar>? = text
            while let next = rest, next.pointee != 0 {
                guard sqlite3_prepare_v2(database, next, -1, &statement, &rest) == SQLITE_OK else {
                    throw Failure(String(cString: sqlite3_errmsg(database)))
                }
                defer { sqlite3_finalize(statement) }
                var status = sqlite3_step(statement)
                while status == SQLITE_ROW {
                    values.append(read(statement))
                    status = sqlite3_step(statement)
                }
                guard status == SQLITE_DONE else { throw Failure(String(cString: sqlite3_errmsg(database))) }
            }
        }
        return values
    }

    /// Flips one bit of a block's content, any one if none is named, and tells which.
    @discardableResult
    func flipBit(_ bit: Int? = nil, ofBlock block: Int64) throws -> Int {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        var blob: OpaquePointer?
        guard Self.connect(path, &database) == SQLITE_OK, sqlite3_busy_timeout(database, 20_000) == SQLITE_OK,
            sqlite3_blob_open(database, "main", "block", "data", block, 1, &blob) == SQLITE_OK
        else { throw Failure(String(cString: sqlite3_errmsg(database))) }
        defer { sqlite3_blob_close(blob) }
        let bit = bit ?? Int.random(in: 0..<8 * Int(sqlite3_blob_bytes(blob)))
        var byte: UInt8 = 0
        guard sqlite3_blob_read(blob, &byte, 1, Int32(bit / 8)) == SQLITE_OK else { throw Failure("cannot read") }
        byte ^= 1 << (bit % 8)
        guard sqlite3_blob_write(blob, &byte, 1, Int32(bit / 8)) == SQLITE_OK else { throw Failure("cannot write") }
        return bit
    }

    /// Writes nonsense over a part of the file.
    func damage(at offset: Int, count: Int) throws {
        let descriptor = try check("open") { open(path, O_WRONLY | O_CLOEXEC) }
        defer { close(descriptor) }
        let nonsense = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
        try check("pwrite") { pwrite(descriptor, nonsense, count, off_t(offset)) }
    }
}

/// Keeps the daemon from committing. It gives a commit up after five seconds.
final class StoreLock {
    private var database: OpaquePointer?

    init(on file: StoreFile) throws {
        guard StoreFile.connect(file.path, &database) == SQLITE_OK,
            sqlite3_busy_timeout(database, 5_000) == SQLITE_OK,
            sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK
        else { throw Failure("cannot lock \(file.path): \(String(cString: sqlite3_errmsg(database)))") }
    }

    deinit { release() }

    func release() {
        sqlite3_close(database)
        database = nil
    }
}
