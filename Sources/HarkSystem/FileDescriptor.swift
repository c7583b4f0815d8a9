import Glibc

/// Owns an open file descriptor, and closes it at the end.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The raw descriptor for calls that borrow it; do not close it or use it after this object.
    package let raw: Int32

    /// Takes ownership of an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // Not by `syscall`: on Linux the descriptor is closed even after EINTR, and no error can be handled.
        close(raw)
    }

    /// Releases the descriptor without closing it.
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

    /// Reads a file named by a user; errors name the file.
    ///
    /// Throws EFBIG for a file longer than `limit` bytes, and EINVAL for other things than files: a named pipe would
    /// block the caller until a process writes to it.
    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try open(path, flags: O_RDONLY | O_NONBLOCK)
        let raw = file.raw
        var status = stat()
        try syscall("fstat", detail: path) { fstat(raw, &status) }
        // For a folder, reading gives the right error.
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

    /// Reads at most as much as fits in `buffer`: returns the number of bytes, 0 at the end, nil if it would block.
    package borrowing func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
        let raw = raw
        return try unlessBlocking { () throws(SystemError) in
            try syscall("read") { Glibc.read(raw, buffer.baseAddress, buffer.count) }
        }
    }

    /// Writes as much as possible now: returns the number of bytes, or nil if it would block.
    ///
    /// A closed reader is the error EPIPE, not a signal, once there is an `EventLoop`.
    package borrowing func write(_ buffer: UnsafeRawBufferPointer) throws(SystemError) -> Int? {
        let raw = raw
        return try unlessBlocking { () throws(SystemError) in
            try syscall("write") { Glibc.write(raw, buffer.baseAddress, buffer.count) }
        }
    }

    /// Reads to the end; throws EFBIG for more than `limit` bytes. For files, not for sockets.
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

    /// Shuts down the input of a socket: the peer can send no more, but earlier data can still be read.
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
