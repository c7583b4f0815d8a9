import Glibc
import HarkClient

/// A new file, written through a buffer; only its owner may read it.
final class OutputFile {
    private let path: String
    private var descriptor: CInt
    private var buffer: [UInt8] = []

    init(_ path: String) throws(ToolError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .file("make", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func write(_ bytes: some Collection<UInt8>) throws(ToolError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes what is left.
    func finish() throws(ToolError) {
        try flush()
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw .file("write", path) }
    }

    /// Writes what is left and gives the file its name.
    func finish(as final: String) throws(ToolError) {
        try finish()
        guard rename(path, final) == 0 else { throw .file("rename", path) }
    }

    /// Removes the unfinished file.
    func abandon() {
        unlink(path)
    }

    /// Writes a text. What is there is kept until the new file is whole; a pipe or a device is written to.
    static func write(_ text: String, to path: String) throws(ToolError) {
        var status = Glibc.stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let file = try OutputFile(path)
            try file.write(Array(text.utf8))
            return try file.finish()
        }
        let file = try OutputFile(path + ".part")
        do throws(ToolError) {
            try file.write(Array(text.utf8))
            try file.finish(as: path)
        } catch {
            file.abandon()
            throw error
        }
    }

    private func flush() throws(ToolError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .file("write", path)
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

extension ToolError {
    /// A failure with a file; `errno` says why.
    static func file(_ verb: String, _ path: String) -> ToolError {
        let exit: ExitCode = verb == "write" || verb == "read" || verb == "sync" ? .io : .cannotCreate
        return ToolError(exit, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
