internal import Glibc

/// The files beside a store that is made anew, and how the new file takes the place of the damaged one: whole or not at all,
/// whenever the machine stops.
///
/// The damaged file is kept: what could not be read of it by Hark may be read by somebody else. It goes with the next removal of
/// data, as it may hold what was removed.
struct StoreSwap {
    private let path: String
    /// Being made.
    let draft: String
    /// Made, and to be put in place.
    private let ready: String
    /// The damaged file, once it was replaced.
    let kept: String
    /// Stands for the wish that the next start makes the store anew.
    private let wish: String
    /// Stands for an attempt that came to nothing.
    private let failed: String

    init(_ path: String) {
        self.path = path
        (draft, ready, kept) = (path + ".new", path + ".ready", path + ".damaged")
        (wish, failed) = (path + ".rebuild", path + ".rebuild-failed")
    }

    /// Whether the next start is to make the store anew.
    var isWanted: Bool { exists(wish) }

    func want() throws(StoreError) { guard touch(wish) else { throw failure(wish) } }

    /// A full disk, say: it is not tried again and again.
    func noteFailure() { _ = touch(failed) }

    private func touch(_ path: String) -> Bool {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    func forgetWish() { unlink(wish) }

    /// How many seconds ago the store was made anew the last time, or was to be, as far as that is known.
    var age: Int? {
        [kept, failed].compactMap { path in
            var status = stat()
            return lstat(path, &status) == 0 ? max(0, time(nil) - status.st_ctim.tv_sec) : nil
        }.min()
    }

    func removeKept() { unlink(kept) }

    /// Removes what a run that was interrupted has left, or puts in place what it had ready.
    func finish() throws(StoreError) {
        removeDraft()
        if exists(ready) { try putInPlace() }
    }

    func removeDraft() { for end in ["", "-journal", "-wal", "-shm"] { unlink(draft + end) } }

    /// The draft takes the place of the store. Nobody may have either open.
    func swap() throws(StoreError) {
        try sync(draft)
        try move(draft, to: ready)
        try sync(folder)
        try putInPlace()
    }

    private func putInPlace() throws(StoreError) {
        if exists(path) { try move(path, to: kept) }
        // They belong to the damaged file.
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
