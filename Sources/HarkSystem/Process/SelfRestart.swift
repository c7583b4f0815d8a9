import CSystemd
import Glibc

/// A service that starts again by itself: the process stays, with its number and its place at the service manager, and its
/// program begins anew. Its threads are gone, and its files are closed but for standard streams and sockets of systemd's.
package enum SelfRestart {
    /// Keeps sockets of systemd's for `begin`, while their owners close them.
    package static func keep(_ sockets: [Int32]) throws(SystemError) -> [Int32] {
        var kept: [Int32] = []
        // Clear of the numbers at which the next program looks for them.
        let least = SD_LISTEN_FDS_START + Int32(sockets.count)
        for raw in sockets { kept.append(try syscall("fcntl") { fcntl(raw, F_DUPFD_CLOEXEC, least) }) }
        return kept
    }

    /// Begins the program anew. Comes back only with an error.
    ///
    /// - Parameters:
    ///   - arguments: those it was started with, its name first.
    ///   - sockets: those of systemd's, as `keep` gave them.
    package static func begin(_ arguments: [String], sockets: [Int32]) -> SystemError {
        for (number, raw) in zip(SD_LISTEN_FDS_START..., sockets) { dup2(raw, number) }
        if !sockets.isEmpty {
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "\(sockets.count)", 1)
        }
        // Under its own name, as long as that leads to this program.
        let code = withCStrings(arguments) { words in
            execv(ownPath, words)
            execv("/proc/self/exe", words)
            return errno
        }
        return SystemError(code: code, operation: "execv", detail: "harkd could not start again")
    }

    private static var ownPath: String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
