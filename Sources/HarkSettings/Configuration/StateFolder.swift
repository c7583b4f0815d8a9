import Glibc
import HarkStore
package import HarkSystem

/// The folder that holds the daemon's data.
package enum StateFolder {
    /// Creates the folder and its parents, readable by the owner alone.
    ///
    /// The folder's name is synced before the first store is created in it, even if another process created the folder:
    /// otherwise acknowledged data could be lost with the folder.
    package static func make(_ path: String) throws(SystemError) {
        if access(path + "/" + Store.fileName, F_OK) != 0 {
            try DurableFile.makeFolder(
                path, mode: 0o700, parentMode: 0o755,
                place: "cannot make the folder \(path); give another one with --state or HARK_STATE")
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw SystemError(
                code: errno, operation: "access",
                detail: "the state folder \(path) must be writable by this user; fix its permissions, or give "
                    + "another folder with --state or HARK_STATE")
        }
    }
}
