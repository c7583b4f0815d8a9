internal import CStoreFile
internal import Glibc
internal import HarkSystem

/// A mark file next to a store in use. If it is still there at the next start, the daemon was killed.
///
/// If another program (`sqlite3 hark.db`) then opens and closes the store, it copies the log into the file without
/// checksums. Such pages are not damaged: the store is rebuilt from them as they are.
struct StoreMark {
    private let path: String
    private var mark: String { path + ".open" }

    init(_ path: String) { self.path = path }

    func put() {
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Called once the store is closed properly.
    func remove() { if isLogGone { unlink(mark) } }

    private var isLogGone: Bool {
        var status = stat()
        return stat(path + "-wal", &status) != 0 || status.st_size == 0
    }

    /// Whether another program has copied the log into the file. The store must not be open.
    var isCopiedByOthers: Bool {
        guard access(mark, F_OK) == 0, isLogGone, let file = try? FileDescriptor.open(path, flags: O_RDONLY) else {
            return false
        }
        let size = 4_096
        var (number, bytes) = (1, [UInt8](repeating: 0, count: 256 * size))
        // Files of earlier versions have no checksums.
        guard pread(file.raw, &bytes, size, 0) == size, bytes[20] == HARK_STORE_CHECKSUM_BYTES else { return false }
        while true {
            let count = pread(file.raw, &bytes, bytes.count, off_t((number - 1) * size)) / size
            guard count > 0 else { return false }
            let isWhole = bytes.withUnsafeBufferPointer { pages in
                (0..<count).allSatisfy { place in
                    guard let start = pages.baseAddress?.advanced(by: place * size) else { return true }
                    return hark_store_page_is_whole(start, Int32(size), Int64(number + place)) != 0
                }
            }
            guard isWhole else { return true }
            number += count
        }
    }
}
