internal import CLinux
import Glibc
import HarkClient

/// The folder of an export: marked as one, so that it can be told from a folder of something else.
struct ExportFolder {
    let path: String
    private static let marker = ".hark-export"

    /// Takes a folder that is missing, empty or an earlier export; refuses any other.
    init(_ path: String) throws(ToolError) {
        self.path = path
        switch try Self.content(of: path) {
        case nil: try Self.makeFolders(path)
        case let names? where names.isEmpty || names.contains(Self.marker): break
        default:
            throw ToolError(
                .cannotCreate, "\(path) has something else in it and is no earlier export; nothing was written",
                hint: "Name a folder that is new or empty.")
        }
        try replace(Self.marker) { file throws(ToolError) in
            try file.write("Made by 'hark export'; 'hark import' reads it.\n".utf8)
        }
    }

    /// Makes a folder below this one, and those above it.
    func makeFolders(_ place: String) throws(ToolError) {
        try Self.makeFolders(path + "/" + place)
    }

    /// Writes a file under another name and then gives it its own: a reader sees the old or the new, never a part.
    func replace(_ place: String, _ write: (OutputFile) throws -> Void) throws {
        let final = path + "/" + place
        let file = try OutputFile(final + ".new")
        do {
            try write(file)
            try file.finish(as: final)
        } catch {
            file.abandon()
            throw error
        }
    }

    private func replace(_ place: String, _ write: (OutputFile) throws(ToolError) -> Void) throws(ToolError) {
        let file = try OutputFile(path + "/" + place + ".new")
        try write(file)
        try file.finish(as: path + "/" + place)
    }

    /// Has everything on disk before hark says so; one call for all files.
    func sync() throws(ToolError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", path) }
        defer { close(descriptor) }
        guard syncfs(descriptor) == 0 else { throw .file("sync", path) }
    }

    /// The names in a folder; nil if there is none.
    private static func content(of path: String) throws(ToolError) -> [String]? {
        guard let names = FolderList.names(in: path) else {
            if errno == ENOENT { return nil }
            if errno == ENOTDIR { throw ToolError(.cannotCreate, "\(path) is a file, and an export needs a folder") }
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
