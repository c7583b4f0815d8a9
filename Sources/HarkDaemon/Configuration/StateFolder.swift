import Glibc
import HarkStore
import HarkSystem

/// The folder the daemon keeps its data in.
enum StateFolder {
    /// Makes it, with its parents, readable by its owner alone.
    ///
    /// Before the first store is in it, its name is on disk, also if somebody else made it: what is acknowledged must not be
    /// gone with the folder it lies in.
    static func make(_ path: String) throws(SystemError) {
        if access(path + "/" + Store.fileName, F_OK) != 0 {
            try DurableFile.makeFolder(
                path, mode: 0o700, parentMode: 0o755,
                place: "cannot make the folder \(path); give another one with --state or HARK_STATE")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw SystemError(
                code: errno, operation: "access",
                detail: "the state folder \(path) must be writable by this user; mend its permissions, or give another "
                    + "folder with --state or HARK_STATE")
        }
    }
}
