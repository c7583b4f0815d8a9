// Glibc has timespec as well, but which of the two the compiler takes it from depends on what it reads first.
internal import CLinux
import Glibc
import HarkClient

/// A file of settings that is changed: at any moment, it is the old one or the new one as a whole.
///
/// Who it belongs to and who may read it stays. Where the name is a symbolic link, what it leads to is changed.
struct SettingsFile {
    /// Where the bytes lie.
    let path: String
    /// What it held; nil: there was none.
    let original: [UInt8]?
    private let status: Glibc.stat?

    private static let mostBytes = 16 << 20

    init(_ path: String) throws(ToolError) {
        self.path = Self.real(path) ?? path
        var status = Glibc.stat()
        guard stat(self.path, &status) == 0 else {
            guard errno == ENOENT else { throw .file("read", path) }
            (original, self.status) = (nil, nil)
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.mostBytes else {
            throw ToolError(.noInput, "\(path) is no file of settings")
        }
        original = try InputFile.read(self.path)
        self.status = status
    }

    /// Whether this user may put another in its place.
    var isWritable: Bool {
        var folder = Examination.folder(of: path)
        // Folders that are missing are made.
        while access(folder, F_OK) != 0, folder != "/", folder != "." { folder = Examination.folder(of: folder) }
        return access(folder, W_OK | X_OK) == 0 && (original == nil || access(path, W_OK) == 0)
    }

    func write(_ bytes: [UInt8]) throws(ToolError) {
        let folder = Examination.folder(of: path)
        try Self.makeFolder(folder)
        let new = OutputFile.draft(of: path)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .file("make", new) }
        do throws(ToolError) {
            defer { close(descriptor) }
            try fill(descriptor, bytes, new)
        } catch {
            unlink(new)
            throw error
        }
        guard rename(new, path) == 0 else {
            let error = ToolError.file("rename", new)
            unlink(new)
            throw error
        }
        try Self.sync(folder)
    }

    /// Puts back what was there.
    func restore() throws(ToolError) {
        if let original { return try write(original) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file("remove", path) }
    }

    private func fill(_ descriptor: CInt, _ bytes: [UInt8], _ name: String) throws(ToolError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno != EINTR { throw .file("write", name) }
            written += max(count, 0)
        }
        if let status, status.st_uid != geteuid() || status.st_gid != getegid() {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw .file("give away", name) }
        }
        // A new one holds no secret: passwords are in files of their own.
        guard fchmod(descriptor, status.map { $0.st_mode & 0o7777 } ?? 0o644) == 0 else {
            throw .file("set the mode of", name)
        }
        guard fsync(descriptor) == 0 else { throw .file("sync", name) }
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Makes a folder and those above it that are missing.
    private static func makeFolder(_ path: String) throws(ToolError) {
        guard access(path, F_OK) != 0 else { return }
        let above = Examination.folder(of: path)
        if above != path { try makeFolder(above) }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .file("make", path) }
    }

    private static func sync(_ folder: String) throws(ToolError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file("sync", folder) }
    }
}
