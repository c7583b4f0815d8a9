internal import CLinux
internal import Glibc

/// Changes of names and whole files that a loss of power cannot take back.
///
/// A file that is synced is not there yet: its name lies in its folder, and the folder has to be synced as well, and the
/// name of that folder in the one above.
package enum DurableFile {
    /// Puts a whole new file in the place of `path`, on disk with its name when this returns.
    ///
    /// Whoever opens the path sees the old content or the new, after a loss of power as well. The draft is `path.new`.
    /// - Parameters:
    ///   - isSynced: false: the caller sees to it that it comes to the disk (`syncAll`).
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

    /// Opens a file that is new: what a run that was killed left at its name goes, and a link that somebody laid there is not
    /// followed.
    package static func openNew(_ path: String, flags: Int32 = O_WRONLY, place: String) throws(SystemError) -> Int32 {
        unlink(path)
        return try syscall("open", detail: place) {
            open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
    }

    /// Writes at the end of an open file, and waits until it is on disk unless the caller sees to that (`syncAll`).
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

    /// Has the names in a folder on disk: those that came, and that those are gone which went.
    package static func syncFolder(_ path: String, place: String) throws(SystemError) {
        let fd = try syscall("open", detail: place) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(fd) }
        _ = try syscall("fsync", detail: place) { fsync(fd) }
    }

    /// Makes a folder where there is none, with those above it, each on disk with its name before the next is made.
    ///
    /// Who made one and was killed before its name was on disk left it to us: so the name of the deepest folder that is
    /// there already is seen to as well.
    /// - Parameters:
    ///   - mode: of the folder itself.
    ///   - parentMode: of those made above it.
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
            // A folder that may be passed through but not read, as systemd has them. All of the disk is synced instead.
            try syncAll(around: path, place: place)
        }
    }

    /// Has all that was written to the file system of a folder on disk, content and names.
    package static func syncAll(around path: String, place: String) throws(SystemError) {
        let fd = try syscall("open", detail: place) { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { close(fd) }
        _ = try syscall("syncfs", detail: place) { syncfs(fd) }
    }

    /// The folder that a path lies in.
    package static func parent(of path: String) -> String {
        let name = path.last == "/" ? path.dropLast() : path[...]
        guard let slash = name.lastIndex(of: "/") else { return "." }
        return slash == name.startIndex ? "/" : String(name[..<slash])
    }
}
