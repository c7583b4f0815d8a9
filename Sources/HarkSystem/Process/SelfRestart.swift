import CSystemd
import Glibc

/// Restarts a service in place: the process keeps its id and its relation to the service manager, and executes its
/// program again. Threads end, and files are closed except standard streams and sockets of systemd.
package enum SelfRestart {
    /// Duplicates sockets of systemd for `begin`, before their owners close them.
    package static func keep(_ sockets: [Int32]) throws(SystemError) -> [Int32] {
        var kept: [Int32] = []
        // Above the numbers at which the next program expects them.
        let least = SD_LISTEN_FDS_START + Int32(sockets.count)
        for raw in sockets { kept.append(try syscall("fcntl") { fcntl(raw, F_DUPFD_CLOEXEC, least) }) }
        return kept
    }

    /// Executes the program again. Returns only with an error.
    ///
    /// - Parameters:
    ///   - arguments: The original arguments, beginning with the name.
    ///   - sockets: The sockets of systemd, from `keep`.
    package static func begin(_ arguments: [String], sockets: [Int32]) -> SystemError {
        for (number, raw) in zip(SD_LISTEN_FDS_START..., sockets) { dup2(raw, number) }
        if !sockets.isEmpty {
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "\(sockets.count)", 1)
        }
        // By its own path, as long as that leads to this program.
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
