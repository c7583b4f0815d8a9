import Glibc
import HarkSystem

/// The folder the daemon keeps its data in.
enum StateFolder {
    /// Makes it, with its parents, readable by its owner alone.
    static func make(_ path: String) throws(SystemError) {
        if access(path, F_OK) != 0 {
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                try makeParent(String(path[..<slash]))
            }
            try make(path, mode: 0o700)
        }
        guard access(path, W_OK | X_OK) == 0 else {
            throw SystemError(
                code: errno, operation: "access",
                detail: "the state folder \(path) must be writable by this user; mend its permissions, or give another "
                    + "folder with --state or HARK_STATE")
        }
    }

    private static func makeParent(_ path: String) throws(SystemError) {
        guard access(path, F_OK) != 0 else { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex { try makeParent(String(path[..<slash])) }
        try make(path, mode: 0o755)
    }

    private static func make(_ path: String, mode: mode_t) throws(SystemError) {
        let advice = "cannot make the folder \(path); give another one with --state or HARK_STATE"
        try syscall("mkdir", detail: advice) { mkdir(path, mode) == 0 || errno == EEXIST ? 0 : Int32(-1) }
    }
}
