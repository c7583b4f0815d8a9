import Glibc

/// The owner of one open descriptor; it is closed when its owner ends.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number, for calls that borrow it; it must not outlive the owner, nor be closed.
    package let raw: Int32

    /// Takes over a descriptor somebody else opened.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Not through the funnel: on Linux the descriptor is gone even if close says EINTR, and no error can be mended.
        close(raw)
    }

    /// Gives the descriptor away without closing it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    /// Opens a file, close-on-exec.
    package static func open(
        _ path: String, flags: Int32, mode: UInt32 = 0o600
    ) throws(SystemError) -> FileDescriptor {
        FileDescriptor(
            owning: try syscall("open", detail: path) { Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// The content of a file that somebody has named; errors say which.
    ///
    /// Refuses with EFBIG what is longer than `limit` bytes, and with EINVAL what is no file: a named pipe would hold the
    /// caller up until somebody writes to it.
    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try open(path, flags: O_RDONLY | O_NONBLOCK)
        let raw = file.raw
        var status = stat()
        try syscall("fstat", detail: path) { fstat(raw, &status) }
        // Reading says of a folder what it is.
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
            throw SystemError(code: EINVAL, operation: "read", detail: "\(path) is a pipe or a device, and no file")
        }
        do {
            return try file.readAll(limit: limit)
        } catch {
            let detail = error.detail.isEmpty ? path : "\(path): \(error.detail)"
            throw SystemError(code: error.code, operation: error.operation, detail: detail)
        }
    }

    /// Reads what is there, up to the size of `buffer`: the number of bytes, 0 at the end, nil if it would block.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        let raw = raw
        return try unlessBlocking { () throws(SystemError) in
            try syscall("read") { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        }
    }

    /// Writes as much as goes now: the number of bytes, or nil if it would block.
    ///
    /// A reader that is gone is the error EPIPE, not a signal, once there is an `EventLoop`.
    package borrowing func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        let raw = raw
        return try unlessBlocking { () throws(SystemError) in
            try syscall("write") { Glibc.write(raw, buffer.baseAddress, buffer.count) }
        }
    }

    /// Reads to the end; refuses with EFBIG what is longer than `limit` bytes. For files, not for sockets.
    package borrowing func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let room = min(max(4096, bytes.count), limit + 1 - bytes.count)
            let raw = raw
            let old = bytes.count
            bytes.append(contentsOf: repeatElement(0, count: room))
            let count = try syscall("read") {
                bytes.withUnsafeMutableBytes { Glibc.read(raw, $0.baseAddress?.advanced(by: old), room) }
            }
            bytes.removeLast(room - count)
            if count == 0 { return bytes }
            if bytes.count > limit {
                throw SystemError(code: EFBIG, operation: "read", detail: "more than \(limit) bytes")
            }
        }
    }

    /// For a socket: the peer can send no more, and what it has sent can still be read to its end.
    package borrowing func endReading() throws(SystemError) {
        let raw = raw
        try syscall("shutdown") { shutdown(raw, Int32(SHUT_RD)) }
    }

    package borrowing func setNonblocking() throws(SystemError) {
        let raw = raw
        let flags = try syscall("fcntl") { fcntl(raw, F_GETFL) }
        try syscall("fcntl") { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
    }
}

/// Turns EAGAIN into nil.
func unlessBlocking<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result? {
    do {
        return try body()
    } catch let error where error.code == EAGAIN {
        return nil
    }
}
