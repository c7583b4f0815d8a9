internal import CSQLite
internal import CStoreFile
internal import Glibc
internal import HarkSystem

/// A copy of the schema pages: the first page of the file, and those it leads to. Without them no other page can be
/// used.
struct StoreHead {
    private static let pageSize = 4_096
    /// More than the tables of any store need.
    private static let mostPages = 64

    private let path: String
    private var copy: String { path + ".head" }

    init(_ path: String) { self.path = path }

    private struct Page {
        let number: Int
        var bytes: [UInt8]

        var isWhole: Bool { hark_store_page_is_whole(bytes, Int32(bytes.count), Int64(number)) != 0 }
    }

    /// Updates the copy if it differs. Pages whose newest version is only in the log are copied another time.
    func save(_ database: Database) {
        guard let numbers = try? numbers(database), !numbers.isEmpty else { return }
        var bytes: [UInt8] = []
        for number in numbers {
            let page = Page(number: number, bytes: database.page(number, size: StoreHead.pageSize))
            guard page.isWhole else { return }
            bytes += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init) + page.bytes
        }
        if let known = try? FileDescriptor.contents(of: copy, limit: bytes.count), known == bytes { return }
        do throws(SystemError) {
            try DurableFile.replace(copy, with: bytes, place: copy)
        } catch {
            Log.warning("the first pages of the store could not be copied: \(error)")
        }
    }

    private func numbers(_ database: Database) throws(StoreError) -> [Int] {
        guard database.hasChecksums, try database.integer("PRAGMA page_size") == Int64(StoreHead.pageSize) else {
            return []
        }
        let pages = try database.prepare(
            "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema' ORDER BY pageno LIMIT \(StoreHead.mostPages)")
        var numbers: [Int] = []
        while try pages.step() { numbers.append(pages.tally(0)) }
        return numbers
    }

    /// Restores damaged pages from the copy. The file must not be open: closing it here drops SQLite's locks.
    ///
    /// - Returns: whether any page was restored. A file that is not a store stays unchanged.
    func putBack() -> Bool {
        guard let file = try? FileDescriptor.open(path, flags: O_RDWR | O_NOFOLLOW) else { return false }
        let raw = file.raw
        func page(_ number: Int) -> Page? {
            var page = Page(number: number, bytes: [UInt8](repeating: 0, count: StoreHead.pageSize))
            let place = off_t((number - 1) * StoreHead.pageSize)
            return pread(raw, &page.bytes, StoreHead.pageSize, place) == StoreHead.pageSize ? page : nil
        }
        guard (2...StoreHead.mostPages).contains(where: { page($0)?.isWhole ?? false }) else { return false }
        var isAny = false
        for var saved in saved() where page(saved.number)?.isWhole != true {
            if saved.number == 1 {
                // The file's length has changed since the copy: if these two fields differ, SQLite uses the actual
                // length.
                saved.bytes.replaceSubrange(92..<96, with: saved.bytes[24..<28].map { ~$0 })
                hark_store_page_seal(&saved.bytes, Int32(saved.bytes.count), 1)
            }
            let place = off_t((saved.number - 1) * StoreHead.pageSize)
            guard pwrite(raw, saved.bytes, saved.bytes.count, place) == saved.bytes.count else { return false }
            isAny = true
        }
        return isAny && fsync(raw) == 0
    }

    private func saved() -> [Page] {
        let size = 8 + StoreHead.pageSize
        guard let bytes = try? FileDescriptor.contents(of: copy, limit: StoreHead.mostPages * size) else { return [] }
        return stride(from: 0, through: bytes.count - size, by: size).compactMap { start in
            let number = bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard (1..<1 << 31).contains(number) else { return nil }
            let page = Page(number: Int(number), bytes: Array(bytes[start + 8..<start + size]))
            return page.isWhole ? page : nil
        }
    }
}

extension Database {
    /// A page as it is in the file, without the log; empty if it cannot be read.
    fileprivate func page(_ number: Int, size: Int) -> [UInt8] {
        var found: UnsafeMutablePointer<sqlite3_file>?
        var bytes = [UInt8](repeating: 0, count: size)
        // Through SQLite's own file: closing another descriptor would drop its locks.
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK, let file = found,
            let read = file.pointee.pMethods?.pointee.xRead,
            read(file, &bytes, Int32(size), Int64((number - 1) * size)) == SQLITE_OK
        else { return [] }
        return bytes
    }
}
