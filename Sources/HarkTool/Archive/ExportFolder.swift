internal import CLinux
import Glibc
import HarkClient

/// The folder of an export. A marker file distinguishes it from any other folder.
struct ExportFolder {
    /// The kind of an export.
    struct Kind {
        let marker: String
        /// The content of the marker file.
        let note: String
        let noun: String

        static let archive = Kind(
            marker: ".hark-export", note: "Made by 'hark export'; 'hark import' reads it.\n", noun: "export")
        static let codebook = Kind(
            marker: ".hark-codebook", note: "Made by 'hark answers --codebook', which replaces its files.\n",
            noun: "codebook")
    }

    let path: String

    /// Takes a folder that is missing, empty or an earlier export, and refuses any other.
    init(_ path: String, _ kind: Kind = .archive) throws(ToolError) {
        self.path = path
        switch try Self.content(of: path) {
        case nil: try Self.makeFolders(path)
        case let names? where names.isEmpty || names.contains(kind.marker): break
        default:
            throw ToolError(
                .cannotCreate, "\(path) has something else in it and is no earlier \(kind.noun); nothing was written",
                hint: "Name a folder that is new or empty.")
        }
        let folder = try open("")
        defer { close(folder) }
        let file = try OutputFile(replacing: kind.marker, in: folder)
        try file.write(kind.note.utf8)
        try file.finish()
    }

    /// Makes a folder below this one, and its parents.
    func makeFolders(_ place: String) throws(ToolError) {
        close(try open(place, isMade: true))
    }

    /// Writes a file under a temporary name and renames it. A reader sees the old or the new file, never a part.
    func replace(_ place: String, _ write: (OutputFile) throws -> Void) throws {
        let slash = place.lastIndex(of: "/")
        let folder = try open(slash.map { String(place[..<$0]) } ?? "")
        defer { close(folder) }
        let file = try OutputFile(replacing: slash.map { String(place[$0...].dropFirst()) } ?? place, in: folder)
        try write(file)
        try file.finish()
    }

    /// Opens a folder below this one, component by component. A symbolic link on the way is refused: another user may
    /// have placed it to have files elsewhere overwritten.
    private func open(_ place: String, isMade: Bool = false) throws(ToolError) -> CInt {
        var folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .file("open", path) }
        for name in place.split(separator: "/").map(String.init) {
            if isMade, mkdirat(folder, name, 0o700) != 0, errno != EEXIST {
                let error = ToolError.file("make", "\(path)/\(place)")
                close(folder)
                throw error
            }
            let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            let reason = errno
            close(folder)
            guard next >= 0 else {
                guard reason == ELOOP || reason == ENOTDIR else {
                    errno = reason
                    throw .file("open", "\(path)/\(place)")
                }
                throw ToolError(
                    .cannotCreate,
                    "'\(name)' in \(path) is no folder but a link or a file",
                    hint: "Name a folder that is new or empty.")
            }
            folder = next
        }
        return folder
    }

    /// Flushes all files to disk with one call, before hark reports success.
    func sync() throws(ToolError) {
        let descriptor = try open("")
        defer { close(descriptor) }
        guard syncfs(descriptor) == 0 else { throw .file("sync", path) }
    }

    /// Returns the names in a folder; nil if there is no folder.
    private static func content(of path: String) throws(ToolError) -> [String]? {
        guard let names = FolderList.names(in: path) else {
            if errno == ENOENT { return nil }
            if errno == ENOTDIR { throw ToolError(.cannotCreate, "\(path) is a file, and a folder is needed") }
            throw .file("read", path)
        }
        return names
    }

    private static func makeFolders(_ path: String) throws(ToolError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let reason = errno
        guard reason == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            errno = reason
            throw .file("make", path)
        }
        try makeFolders(String(path[..<slash]))
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .file("make", path) }
    }
}
