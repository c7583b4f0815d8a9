internal import CLinux
internal import Glibc

/// Changes of names and whole files that survive a power loss.
///
/// Syncing a file is not enough: its name is stored in its folder, which must be synced too, and the name of that
/// folder in its parent.
package enum DurableFile {
    /// Replaces a file by new content; file and name are on disk when this returns.
    ///
    /// Readers see the old or the new content, even after a power loss. The draft is `path.new`.
    /// - Parameters:
    ///   - isSynced: If false, the caller syncs it later (`syncAll`).
    ///   - place: Names the file in errors.
    package static func replace(
        _ path: String, with bytes: [UInt8], isSynced: Bool = true, place: String
    ) throws(SystemError) {
        let draft = path + ".new"
        let fd = try openNew(draft, place: place)
        defer { close(fd) }
        try append(bytes, to: fd, isSynced: isSynced, place: place)
        _ = try syscall("rename", detail: place) { rename(draft, path) }
        if isSynced { try syncFolder(parent(of: path), place: place) }
    }

    /// Creates and opens a file; first removes a file that a killed run left there. Does not follow a link.
    package static func openNew(_ path: String, flags: Int32 = O_WRONLY, place: String) throws(SystemError) -> Int32 {
        unlink(path)
        return try syscall("open", detail: place) {
            open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
    }

    /// Appends to an open file, and waits until the bytes are on disk unless the caller syncs later (`syncAll`).
    package static func append(
        _ bytes: [UInt8], to fd: Int32, isSynced: Bool = true, place: String
    ) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            done += try syscall("write", detail: place) {
                bytes.withUnsafeBytes { write(fd, $0.baseAddress.map { $0 + done }, bytes.count - done) }
            }
        }
        if isSynced { _ = try syscall("fdatasync", detail: place) { fdatasync(fd) } }
    }

    /// Syncs the names in a folder: new ones and removed ones.
    package static func syncFolder(_ path: String, place: String) throws(SystemError) {
        let fd = try syscall("open", detail: place) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(fd) }
        _ = try syscall("fsync", detail: place) { fsync(fd) }
    }

    /// Creates a folder and its parents, if missing; the name of each is on disk before the next is created.
    ///
    /// Another process may have created a folder and been killed before its name was synced: so the name of the deepest
    /// existing folder is synced too.
    /// - Parameters:
    ///   - mode: The mode of the folder itself.
    ///   - parentMode: The mode of created parents.
    package static func makeFolder(
        _ path: String, mode: UInt32, parentMode: UInt32, place: String
    ) throws(SystemError) {
        let parent = parent(of: path)
        if access(path, F_OK) != 0 {
            if access(parent, F_OK) != 0 {
                try makeFolder(parent, mode: parentMode, parentMode: parentMode, place: place)
            }
            try syscall("mkdir", detail: place) { mkdir(path, mode) == 0 || errno == EEXIST ? 0 : Int32(-1) }
        }
        do throws(SystemError) {
            try syncFolder(parent, place: place)
        } catch  where error.code == EACCES {
            // The parent may be searched but not read, as systemd creates some. Then the whole file system is synced.
            try syncAll(around: path, place: place)
        }
    }

    /// Syncs everything written to the file system of a folder, content and names.
    package static func syncAll(around path: String, place: String) throws(SystemError) {
        let fd = try syscall("open", detail: place) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(fd) }
        _ = try syscall("syncfs", detail: place) { syncfs(fd) }
    }

    /// The folder that contains a path.
    package static func parent(of path: String) -> String {
        let name = path.last == "/" ? path.dropLast() : path[...]
        guard let slash = name.lastIndex(of: "/") else { return "." }
        return slash == name.startIndex ? "/" : String(name[..<slash])
    }
}
