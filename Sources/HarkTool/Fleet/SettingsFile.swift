// Glibc also has timespec, but which of the two the compiler picks depends on what it reads first.
internal import CLinux
import Glibc
import HarkClient
import HarkWire

/// Changes a settings file atomically: at any moment it is the old or the new file as a whole.
///
/// Owner and mode stay the same. If the name is a symbolic link, its target is changed, unless another user made the
/// link: root must not be led to other files by a user's folder.
struct SettingsFile {
    /// The path of the file itself.
    let path: String
    /// The original content; nil if there was no file.
    let original: [UInt8]?
    private let status: Glibc.stat?

    private static let mostBytes = 16 << 20

    init(_ path: String) throws(ToolError) {
        try Self.checkLinks(path)
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

    /// Whether this user may replace the file.
    var isWritable: Bool {
        var folder = Examination.folder(of: path)
        // Missing folders are made later.
        while access(folder, F_OK) != 0, folder != "/", folder != "." { folder = Examination.folder(of: folder) }
        return access(folder, W_OK | X_OK) == 0 && (original == nil || access(path, W_OK) == 0)
    }

    func write(_ bytes: [UInt8]) throws(ToolError) {
        let named = Examination.folder(of: path)
        try Self.makeFolder(named)
        let folder = Self.real(named) ?? named
        // Held by its descriptor, so that the folder cannot be replaced meanwhile.
        let place = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard place >= 0 else { throw .file("open", folder) }
        defer { close(place) }
        let file = try OutputFile(replacing: path.split(separator: "/").last.map(String.init) ?? path, in: place)
        try file.write(bytes)
        try file.finish(keepOwner)
        guard fsync(place) == 0 else { throw .file("sync", folder) }
    }

    /// Restores the original content.
    func restore() throws(ToolError) {
        if let original { return try write(original) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .file("remove", path) }
    }

    private func keepOwner(_ descriptor: CInt, _ name: String) throws(ToolError) {
        if let status, status.st_uid != geteuid() || status.st_gid != getegid() {
            guard fchown(descriptor, status.st_uid, status.st_gid) == 0 else { throw .file("give away", name) }
        }
        // A new settings file holds no secret: passwords are in files of their own.
        guard fchmod(descriptor, status.map { $0.st_mode & 0o7777 } ?? 0o644) == 0 else {
            throw .file("set the mode of", name)
        }
        guard fsync(descriptor) == 0 else { throw .file("sync", name) }
    }

    /// - Throws: If a link on the way belongs to neither root nor this user.
    private static func checkLinks(_ path: String, depth: Int = 0) throws(ToolError) {
        // The kernel's own limit.
        guard depth < 40 else { return }
        var parts = ArraySlice(path.split(separator: "/"))
        var place = path.hasPrefix("/") ? "" : "."
        while let part = parts.popFirst() {
            place += "/" + part
            var status = Glibc.stat()
            guard lstat(place, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFLNK else { continue }
            guard [0, geteuid()].contains(status.st_uid) else {
                throw ToolError(
                    .noPermission,
                    "\(VisibleText.make(place)) is a link that another user has made; nothing was changed",
                    hint: "Replace it with the file or folder itself.")
            }
            guard let target = target(of: place) else { return }
            let start = target.hasPrefix("/") ? target : Examination.folder(of: place) + "/" + target
            return try checkLinks(([Substring(start)] + parts).joined(separator: "/"), depth: depth + 1)
        }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
    }

    private static func real(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Makes a folder and its missing parents.
    private static func makeFolder(_ path: String) throws(ToolError) {
        guard access(path, F_OK) != 0 else { return }
        let above = Examination.folder(of: path)
        if above != path { try makeFolder(above) }
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw .file("make", path) }
    }
}
