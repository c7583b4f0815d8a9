internal import CLinux
import Glibc

/// The limit of open files of this process.
package enum OpenFiles {
    /// The number of open files and the limit; nil if unknown.
    package static var usage: (count: Int, most: Int)? {
        var limit = rlimit()
        guard prlimit(0, Int32(RLIMIT_NOFILE.rawValue), nil, &limit) == 0, let folder = opendir("/proc/self/fd") else {
            return nil
        }
        defer { closedir(folder) }
        // Minus the two dots and the folder itself.
        var count = -3
        while readdir(folder) != nil { count += 1 }
        return (count, Int(clamping: limit.rlim_cur))
    }

    /// - Throws: EMFILE if fewer than `count` more files may be opened.
    package static func check(roomFor count: Int, of program: String) throws(SystemError) {
        guard let (open, most) = usage, most - open < count else { return }
        throw SystemError(
            code: EMFILE, operation: "getrlimit",
            detail: "\(program) may have \(most) files open and needs \(open + count) at least")
    }
}
