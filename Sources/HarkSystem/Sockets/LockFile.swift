import Glibc

/// A lock that says one process serves something; it ends with its owner, however that ends.
///
/// The file stays when the lock goes: unlinking it would let two processes hold locks on two files of one name.
package struct LockFile: ~Copyable {
    private let descriptor: FileDescriptor

    /// Takes the lock at once or throws EADDRINUSE, telling whose it is; `served` is what it guards, `advice` what to do then.
    package init(path: String, served: String, advice: String) throws(SystemError) {
        let file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT)
        do {
            let raw = file.raw
            try syscall("flock") { flock(raw, LOCK_EX | LOCK_NB) }
        } catch let error where error.code == EWOULDBLOCK {
            let holder = String(decoding: try file.readAll(limit: 32), as: UTF8.self)
            let who = holder.isEmpty ? "another harkd" : "another harkd (pid \(holder.prefix { $0 != "\n" }))"
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
}
