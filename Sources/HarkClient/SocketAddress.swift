import Glibc
import HarkWire

/// A possible address of the daemon's socket.
package struct SocketAddress: Sendable, Equatable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Returns the addresses to try, in order: `HARK_SOCKET` alone if it is set; the account's own daemon alone if the
    /// account has enabled it; else the account's daemon, if it runs, and then the machine's.
    ///
    /// The choice does not depend on a login: an account that has enabled its own daemon never records into the
    /// machine's while its own is away. Without `XDG_RUNTIME_DIR`, as in a cron job, the user's folder is the one
    /// systemd gives to that user.
    ///
    /// - Parameter isThere: Whether a path exists.
    package static func candidates(
        environment: (String) -> String? = Self.environment, userId: UInt32 = getuid(),
        isThere: (String) -> Bool = { access($0, F_OK) == 0 }
    ) -> [SocketAddress] {
        if let path = environment("HARK_SOCKET"), !path.isEmpty { return [SocketAddress(path: path)] }
        let own = SocketAddress(path: SocketPath.user(environment: environment, uid: userId, isFolder: isThere))
        if isThere(choice(environment)) { return [own] }
        return [own, SocketAddress(path: SocketPath.system)]
    }

    /// Whether this account has enabled its own daemon, and no variable overrides that.
    static var hasChosenOwn: Bool {
        (environment("HARK_SOCKET") ?? "").isEmpty && access(choice(environment), F_OK) == 0
    }

    /// Returns the path that `systemctl --user enable harkd.socket` creates, by which an account chooses its own
    /// daemon.
    package static func choice(_ environment: (String) -> String?) -> String {
        let named = environment("XDG_CONFIG_HOME").flatMap { $0.isEmpty ? nil : $0 }
        return (named ?? (environment("HOME") ?? "") + "/.config") + "/systemd/user/sockets.target.wants/harkd.socket"
    }

    package static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Connects to the first of these that has a socket. A socket without a listener is an error and is not skipped: the
    /// events of a user whose daemon is down must not end up in the system's.
    package static func connect(
        to places: [SocketAddress], patience: Double? = nil
    ) -> Result<(descriptor: CInt, place: SocketAddress), Unreachable> {
        var tried: [(path: String, failure: SocketFailure)] = []
        for place in places {
            switch place.connect(patience: patience) {
            case .success(let descriptor): return .success((descriptor, place))
            case .failure(let failure):
                tried.append((place.path, failure))
                if !failure.isAbsent { return .failure(Unreachable(tried: tried)) }
            }
        }
        return .failure(Unreachable(tried: tried))
    }

    /// Connects, and returns the descriptor or the errno.
    ///
    /// - Parameter patience: The timeout in seconds while the daemon's queue of new connections is full; nil for none.
    package func connect(patience: Double? = nil) -> Result<CInt, SocketFailure> {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { target in
            guard path.utf8.count < target.count else { return false }
            target.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return .failure(SocketFailure(errno: ENAMETOOLONG)) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .failure(SocketFailure(errno: errno)) }
        if let patience {
            var limit = timeval(tv_sec: Int(patience), tv_usec: Int(patience.truncatingRemainder(dividingBy: 1) * 1e6))
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var retries = 0
        while true {
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if status == 0 || errno == EISCONN { return .success(descriptor) }
            let code = errno
            if code == EINTR { continue }
            if code == EAGAIN, patience == nil, retries < 100 {
                // The daemon's queue of new connections is full; it drains within milliseconds.
                retries += 1
                poll(nil, 0, 10)
                continue
            }
            close(descriptor)
            return .failure(SocketFailure(errno: code))
        }
    }
}

/// The addresses on which no daemon was reached.
package struct Unreachable: Error {
    package let tried: [(path: String, failure: SocketFailure)]
}

/// The errno of a failed connection.
package struct SocketFailure: Error, Equatable {
    let errno: CInt

    /// The error number.
    package var code: CInt { errno }

    /// Whether the connection timed out.
    package var isTimeout: Bool { errno == EAGAIN }

    /// Whether there is no socket, so that the next address may be tried.
    package var isAbsent: Bool { errno == ENOENT || errno == ENOTDIR }

    package var text: String {
        switch errno {
        case ENOENT, ENOTDIR: "no socket there"
        case ECONNREFUSED: "nobody listens there any more"
        case ENAMETOOLONG: "the path is longer than a socket's may be, 107 bytes"
        default: String(cString: strerror(errno))
        }
    }
}
