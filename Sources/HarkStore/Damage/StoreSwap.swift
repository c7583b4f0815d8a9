internal import Glibc

/// The files for the rebuilding of a store, and the replacement of the damaged file by the new one: complete or not at
/// all, whenever the machine stops.
///
/// The damaged file is kept, because other tools may read more of it. It is deleted with the next removal of data, because it
/// may hold removed data.
struct StoreSwap {
    private let path: String
    /// The new file while it is written.
    let draft: String
    /// The complete new file, to be put in place.
    private let ready: String
    /// The damaged file, once replaced.
    let kept: String
    /// Exists when the next start should rebuild the store.
    private let wish: String
    /// Exists after a failed attempt.
    private let failed: String

    init(_ path: String) {
        self.path = path
        (draft, ready, kept) = (path + ".new", path + ".ready", path + ".damaged")
        (wish, failed) = (path + ".rebuild", path + ".rebuild-failed")
    }

    /// Whether the next start should rebuild the store.
    var isWanted: Bool { exists(wish) }

    func want() throws(StoreError) { guard touch(wish) else { throw failure(wish) } }

    /// Prevents endless retries, as with a full disk.
    func noteFailure() { _ = touch(failed) }

    private func touch(_ path: String) -> Bool {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    func forgetWish() { unlink(wish) }

    /// The seconds since the last rebuild or failed attempt, if known.
    var age: Int? {
        [kept, failed].compactMap { path in
            var status = stat()
            return lstat(path, &status) == 0 ? max(0, time(nil) - status.st_ctim.tv_sec) : nil
        }.min()
    }

    func removeKept() { unlink(kept) }

    /// Removes files that an interrupted run has left, or puts its complete file in place.
    func finish() throws(StoreError) {
        removeDraft()
        if exists(ready) { try putInPlace() }
    }

    func removeDraft() { for end in ["", "-journal", "-wal", "-shm"] { unlink(draft + end) } }

    /// Replaces the store with the draft. Neither may be open.
    func swap() throws(StoreError) {
        try sync(draft)
        try move(draft, to: ready)
        try sync(folder)
        try putInPlace()
    }

    private func putInPlace() throws(StoreError) {
        if exists(path) { try move(path, to: kept) }
        // These belong to the damaged file.
        for end in ["-wal", "-shm"] { unlink(path + end) }
        try move(ready, to: path)
        unlink(failed)
        try sync(folder)
    }

    private var folder: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func move(_ from: String, to: String) throws(StoreError) {
        guard rename(from, to) == 0 else { throw failure(to) }
    }

    private func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    private func failure(_ path: String) -> StoreError {
        let reason = String(cString: strerror(errno))
        return StoreError(
            .inputOutput, "\(path) could not be written (\(reason)); check the disk and the folder's permissions")
    }
}
