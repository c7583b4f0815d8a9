import Glibc
import HarkClient

/// A new file, written through a buffer and readable by its owner only.
///
/// Until it is complete, it has an unpredictable name next to its final one, and no symbolic link there is followed:
/// the folder may belong to another user who wants to have a file of ours overwritten.
final class OutputFile {
    private let folder: CInt
    private let path: String
    private let final: String?
    private var descriptor: CInt
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - final: The name the file gets when it is complete, replacing an existing file.
    ///   - folder: The descriptor of the folder for that name. It must outlive this object.
    init(replacing final: String, in folder: CInt = AT_FDCWD) throws(ToolError) {
        path = Self.draft(of: final)
        self.folder = folder
        self.final = final
        descriptor = openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .file("make", path) }
    }

    /// Writes to a pipe or a device.
    private init(writingTo path: String, _ descriptor: CInt) {
        self.path = path
        self.descriptor = descriptor
        folder = AT_FDCWD
        final = nil
    }

    /// Removes a file that is not complete.
    deinit {
        if descriptor >= 0 {
            close(descriptor)
            if final != nil { unlinkat(folder, path, 0) }
        }
    }

    /// Returns a temporary name next to a file, for its replacement.
    static func draft(of path: String) -> String {
        "\(path).\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
    }

    func write(_ bytes: some Collection<UInt8>) throws(ToolError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    /// Writes the rest of the buffer, and gives the file its final name.
    /// - Parameter prepare: Called before the rename, with the descriptor and the temporary name.
    func finish(
        _ prepare: (CInt, String) throws(ToolError) -> Void = { _, _ throws(ToolError) in }
    ) throws(ToolError) {
        try flush()
        try prepare(descriptor, path)
        if let final, renameat(folder, path, folder, final) != 0 { throw .file("rename", path) }
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw .file("write", path) }
    }

    /// Writes a text. An existing file is kept until the new one is complete; a pipe or a device is written to
    /// directly.
    static func write(_ text: String, to path: String) throws(ToolError) {
        let file: OutputFile
        if let stream = try stream(path) { file = stream } else { file = try OutputFile(replacing: path) }
        try file.write(Array(text.utf8))
        try file.finish()
    }

    /// Opens the pipe or device of that name; nil for a regular file. Refuses one that another user made or linked to.
    private static func stream(_ path: String) throws(ToolError) -> OutputFile? {
        var (named, status) = (Glibc.stat(), Glibc.stat())
        guard lstat(path, &named) == 0, named.st_mode & S_IFMT != S_IFREG, stat(path, &status) == 0,
            status.st_mode & S_IFMT != S_IFREG
        else { return nil }
        guard [0, geteuid()].contains(named.st_uid) else {
            throw ToolError(
                .cannotCreate,
                "\(path) belongs to another user, and is no regular file; nothing was written. Choose another file")
        }
        let descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", path) }
        // The path may have been replaced meanwhile.
        guard fstat(descriptor, &named) == 0, named.st_dev == status.st_dev, named.st_ino == status.st_ino else {
            close(descriptor)
            throw ToolError(.cannotCreate, "\(path) has just become another; nothing was written")
        }
        return OutputFile(writingTo: path, descriptor)
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
    /// An error for a failed file operation, with the reason in `errno`.
    static func file(_ verb: String, _ path: String) -> ToolError {
        let exit: ExitCode = verb == "write" || verb == "read" || verb == "sync" ? .io : .cannotCreate
        return ToolError(exit, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
