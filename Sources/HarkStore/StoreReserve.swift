internal import Glibc
internal import HarkSystem

/// Disk space reserved for removals: to make room on a full disk, the store first needs some. It is a file of empty
/// space that is deleted when a removal finds no other room, and restored before anything else is stored.
struct StoreReserve {
    private let path: String
    private let folder: String
    /// Whether a removal, or a start, is using the reserve.
    private(set) var isTaken = false

    private static let most: UInt64 = 4 << 20
    /// The largest part of a small disk to reserve: one sixteenth.
    private static let share: UInt64 = 16

    /// - Parameter path: the path of the store.
    init(beside path: String) {
        folder = DurableFile.parent(of: path)
        self.path = folder + "/hark.reserve"
        _ = fill(leaving: 4)
    }

    /// Frees the reserve; false if there is none.
    mutating func take(for whom: String) -> Bool {
        guard unlink(path) == 0 else { return false }
        isTaken = true
        Log.notice("the disk is full: \(whom) uses the room that is kept for removals")
        return true
    }

    /// Restores the reserve once twice its size is free.
    mutating func putBack() -> Bool {
        isTaken = !fill(leaving: 1)
        return !isTaken
    }

    /// - Parameter rest: the space to leave free, as a multiple of the reserve's size.
    private func fill(leaving rest: UInt64) -> Bool {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return false }
        let block = UInt64(disk.f_frsize)
        let size = min(StoreReserve.most, UInt64(disk.f_blocks) * block / StoreReserve.share)
        var status = stat()
        if stat(path, &status) == 0, UInt64(status.st_blocks) * 512 >= size { return true }
        guard UInt64(disk.f_bavail) * block >= size * (rest + 1) else { return false }
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        if posix_fallocate(file, 0, off_t(size)) == 0 { return true }
        unlink(path)
        return false
    }
}
