internal import Glibc
internal import HarkSystem

/// The store's files under their names. A commit to a file that was deleted, moved or replaced is lost at the next
/// start, so it only counts while the names refer to the open files. A check takes a microsecond or two.
struct StoreFiles {
    /// The identity of a file, independent of its name.
    private struct Identity: Equatable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private let path: String
    private let logPath: String
    private let file: Identity
    private let bytesOfPage: Int
    /// Nil until the log was first checked.
    private var log: Identity?
    /// The least lengths expected; nil while they may legitimately shrink.
    private var length: Int?
    private var logLength: Int?

    /// - Parameter database: a connection just opened that has read the file.
    init(of database: Database) throws(StoreError) {
        path = database.path
        logPath = database.logPath
        bytesOfPage = Int(try database.integer("PRAGMA page_size") ?? 4096)
        guard let status = StoreFiles.status(of: path) else { throw StoreFiles.gone(path) }
        file = Identity(status)
        log = StoreFiles.status(of: logPath).map { Identity($0) }
    }

    /// Called when the log is copied into the file, after which both may be shorter.
    mutating func lengthsChange() {
        length = nil
        logLength = nil
    }

    /// Learns the current lengths for the next check. Called when the log is fully copied, and nothing is written.
    mutating func learnLengths() {
        length = StoreFiles.status(of: path).map { Int($0.st_size) }
        logLength = StoreFiles.status(of: logPath).map { Int($0.st_size) }
    }

    /// - Parameter isCopying: whether the log is being copied.
    mutating func check(_ database: Database, isCopying: Bool) throws(StoreError) {
        guard let status = StoreFiles.status(of: path), Identity(status) == file else { throw StoreFiles.gone(path) }
        let size = Int(status.st_size)
        if isCopying { length = nil } else if size < length ?? 0 { throw StoreFiles.cut(path) } else { length = size }
        try checkLog(database)
    }

    private mutating func checkLog(_ database: Database) throws(StoreError) {
        guard let log else {
            log = StoreFiles.status(of: logPath).map { Identity($0) }
            return
        }
        var status = StoreFiles.status(of: logPath)
        if status.map({ Identity($0) }) != log {
            try putBack(log)
            status = StoreFiles.status(of: logPath)
        }
        let size = Int(status?.st_size ?? 0)
        if size < logLength ?? 0 {
            // Another program that uses the file may have emptied the log properly.
            guard let pages = try? database.agreedLogPages(), size >= length(ofLog: pages) else {
                throw StoreFiles.cut(logPath)
            }
            logLength = nil
        } else {
            logLength = min(size, length(ofLog: database.logPages))
        }
    }

    /// The log has a header, and another one before each page.
    private func length(ofLog pages: Int) -> Int { pages == 0 ? 0 : 32 + pages * (bytesOfPage + 24) }

    /// Rewrites a log whose file was deleted or replaced from an open descriptor, and redirects all descriptors to the
    /// new file.
    private mutating func putBack(_ identity: Identity) throws(StoreError) {
        let descriptors = StoreFiles.descriptors(of: logPath, or: identity)
        guard let source = descriptors.first(where: { $0.isOriginal })?.number else { throw StoreFiles.gone(logPath) }
        do throws(SystemError) {
            let copy = try StoreFiles.copy(source, to: logPath)
            defer { close(copy) }
            for descriptor in descriptors {
                _ = try syscall("dup2", detail: logPath) { dup2(copy, descriptor.number) }
                _ = fcntl(descriptor.number, F_SETFD, FD_CLOEXEC)
            }
            var status = stat()
            _ = try syscall("fstat", detail: logPath) { fstat(copy, &status) }
            log = Identity(status)
            Log.warning("\(logPath) was removed or replaced while harkd used it; it was written again, nothing is lost")
        } catch {
            throw StoreError(
                .inaccessible,
                "\(logPath) was removed or replaced while harkd uses it, and cannot be written again (\(error)); "
                    + "free some space or fix the folder's permissions; Hark goes on by itself")
        }
    }

    private static func copy(_ source: Int32, to path: String) throws(SystemError) -> Int32 {
        let draft = path + ".new"
        let copy = try DurableFile.openNew(draft, flags: O_RDWR, place: path)
        do throws(SystemError) {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var offset = 0
            while true {
                let count = try syscall("pread", detail: path) { pread(source, &buffer, buffer.count, offset) }
                if count == 0 { break }
                try DurableFile.append(Array(buffer[..<count]), to: copy, isSynced: false, place: path)
                offset += count
            }
            _ = try syscall("fsync", detail: path) { fsync(copy) }
            _ = try syscall("rename", detail: path) { rename(draft, path) }
            try DurableFile.syncFolder(DurableFile.parent(of: path), place: path)
            return copy
        } catch {
            close(copy)
            unlink(draft)
            throw error
        }
    }

    /// The descriptors of this process that refer to the log, or to a deleted file of its name.
    private static func descriptors(of path: String, or identity: Identity) -> [(number: Int32, isOriginal: Bool)] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var found: [(number: Int32, isOriginal: Bool)] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let number = Int32(name) else { continue }
            var status = stat()
            guard fstat(number, &status) == 0 else { continue }
            let isOriginal = Identity(status) == identity
            if isOriginal || target(of: number) == path + " (deleted)" { found.append((number, isOriginal)) }
        }
        return found
    }

    private static func target(of number: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func gone(_ path: String) -> StoreError {
        StoreError(
            .inaccessible,
            "\(path) is not the file that harkd has open: it, or a folder above it, was removed, moved or replaced, and nothing "
                + "is recorded until it is back. Put it back, and Hark goes on by itself; or restart harkd with the "
                + "files that are there ('hark export' first saves what was recorded before)")
    }

    private static func cut(_ path: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) was cut short while harkd has it open, and nothing is recorded any more. Stop harkd, restore a "
                + "copy or move the file aside, and start it; 'hark import' reads the archive tree back in")
    }
}
