import Glibc

/// A lock that ensures that one process serves something; it ends with its owner, in any case.
///
/// The file stays when the lock is released: unlinking it would allow locks on two files of one name.
package struct LockFile: ~Copyable {
    private let descriptor: FileDescriptor

    /// The maximum wait for the lock of an ended process, in steps of a millisecond.
    private static let patience = 1_000

    /// Takes the lock, or throws EADDRINUSE with the holder's id; `served` and `advice` are for the error message.
    ///
    /// It does not wait, unless the holder was killed: the kernel releases the lock a moment after the process ends,
    /// and later if the process was starting a program, which holds the lock until it runs.
    package init(path: String, served: String, advice: String) throws(SystemError) {
        let file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW)
        var steps = LockFile.patience
        while try !LockFile.lock(file) {
            let holder = try LockFile.holder(path)
            steps -= 1
            if steps > 0, let holder, LockFile.hasEnded(holder) {
                usleep(1_000)
                continue
            }
            let who = holder.map { "another harkd (pid \($0))" } ?? "another harkd"
            throw SystemError(
                code: EADDRINUSE, operation: "flock",
                detail: "\(who) already serves \(served); \(advice)")
        }
        let raw = file.raw
        try syscall("ftruncate", detail: path) { ftruncate(raw, 0) }
        let holder = Array("\(getpid())\n".utf8)
        try syscall("write", detail: path) { write(raw, holder, holder.count) }
        descriptor = file
    }

    /// Unlocks explicitly: closing would leave the lock to a forked child that has not executed its program yet.
    deinit { flock(descriptor.raw, LOCK_UN) }

    /// False if another process holds it.
    private static func lock(_ file: borrowing FileDescriptor) throws(SystemError) -> Bool {
        let raw = file.raw
        do {
            try syscall("flock") { flock(raw, LOCK_EX | LOCK_NB) }
            return true
        } catch let error where error.code == EWOULDBLOCK {
            return false
        }
    }

    /// Whether a process has ended or is ending: it has no memory any more, and so no command line.
    private static func hasEnded(_ process: Int32) -> Bool {
        if kill(process, 0) != 0 { return errno == ESRCH }
        do {
            let line = try FileDescriptor.open("/proc/\(process)/cmdline", flags: O_RDONLY)
            var byte: UInt8 = 0
            return read(line.raw, &byte, 1) == 0
        } catch {
            return false
        }
    }

    private static func holder(_ path: String) throws(SystemError) -> Int32? {
        let file = try FileDescriptor.open(path, flags: O_RDONLY)
        let text = String(decoding: try file.readAll(limit: 32), as: UTF8.self)
        return Int32(text.prefix { $0 != "\n" })
    }
}
