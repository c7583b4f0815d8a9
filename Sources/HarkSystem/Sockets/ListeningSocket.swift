import CSystemd
import Glibc

/// A listening Unix stream socket: bound here, or passed by systemd.
package final class ListeningSocket {
    /// Who may connect.
    package enum Access: Sendable {
        /// Only the user the daemon runs as: folder 0700, socket 0600.
        case user
        /// All users, identified by credentials: folder 0755, socket 0666.
        case system

        var folderMode: mode_t { self == .user ? 0o700 : 0o755 }
        var socketMode: mode_t { self == .user ? 0o600 : 0o666 }
    }

    /// The path; nil for a socket of systemd without a path.
    package let path: String?
    /// Whether systemd owns the socket, which then stays when this process ends.
    package let isAdopted: Bool
    /// The descriptor, to watch for `.read`.
    package var raw: Int32 { descriptor.raw }

    private let descriptor: FileDescriptor
    private let lock: LockFile?
    private var isClosed = false

    /// Binds and listens at `path`, and creates its folder if needed.
    ///
    /// The lock file next to it (`PATH.lock`) is held before a stale socket is removed, so a second daemon fails with
    /// EADDRINUSE and never takes the socket of a running one. The socket is never open to more users than it should
    /// be.
    package init(path: String, access: Access) throws(SystemError) {
        let address = try UnixAddress(path: path)
        try Self.makeFolder(address.folder, mode: access.folderMode)
        lock = try LockFile(path: path + ".lock", served: path, advice: "stop it, or set HARK_SOCKET")
        try Self.removeStale(path)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let fd = FileDescriptor(owning: try syscall("socket") { socket(AF_UNIX, type, 0) })
        let raw = fd.raw
        // On Linux the socket file gets the mode of the descriptor, less the umask: never too open, and the umask of other
        // threads is unchanged. The bits removed by the umask are restored before any client is served.
        try syscall("fchmod", detail: path) { fchmod(raw, access.socketMode) }
        try syscall("bind", detail: path) { address.withSockaddr { bind(raw, $0, $1) } }
        try syscall("chmod", detail: path) { chmod(path, access.socketMode) }
        try syscall("listen", detail: path) { listen(raw, SOMAXCONN) }
        descriptor = fd
        self.path = path
        isAdopted = false
    }

    private init(adopting fd: consuming FileDescriptor, path: String?) {
        descriptor = fd
        lock = nil
        self.path = path
        isAdopted = true
    }

    /// The sockets that systemd passed to this process; none without socket activation.
    ///
    /// Call it once, at the start: it clears the variables from the environment of child processes. `first` is the
    /// first descriptor, always 3 in systemd's protocol (sd_listen_fds(3)); tests use another, because 3 is taken
    /// there.
    package static func adopted(
        startingAt first: Int32 = SD_LISTEN_FDS_START
    ) throws(SystemError) -> [ListeningSocket] {
        let count = try checked("sd_listen_fds") { sd_listen_fds(1) }
        var sockets: [ListeningSocket] = []
        for raw in first..<(first + count) {
            let fd = FileDescriptor(owning: raw)
            let stream = Int32(SOCK_STREAM.rawValue)
            guard try checked("sd_is_socket_unix", { sd_is_socket_unix(raw, stream, 1, nil, 0) }) > 0 else {
                throw SystemError(
                    code: ENOTSOCK, operation: "sd_listen_fds",
                    detail: "systemd passed something else than a listening Unix stream socket: use ListenStream=/…")
            }
            try fd.setNonblocking()
            sockets.append(ListeningSocket(adopting: fd, path: try boundPath(raw)))
        }
        return sockets
    }

    /// Accepts the next waiting connection; nil if there is none.
    ///
    /// After EMFILE or ENFILE it still waits: stop watching until descriptors are free again, or the loop spins.
    package func accept() throws(SystemError) -> AcceptedConnection? {
        let type = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        while true {
            do {
                let accepted = try unlessBlocking { () throws(SystemError) in
                    try syscall("accept4") { accept4(raw, nil, nil, type) }
                }
                guard let accepted else { return nil }
                let fd = FileDescriptor(owning: accepted)
                return AcceptedConnection(peer: try PeerCredentials(of: accepted), descriptor: fd)
            } catch let error where error.code == ECONNABORTED {
                continue
            }
        }
    }

    /// Removes the socket file in an orderly stop; an adopted one belongs to systemd and stays.
    ///
    /// Waiting connections are dropped when this object ends.
    package func close() throws(SystemError) {
        guard !isAdopted, !isClosed, let path else { return }
        isClosed = true
        do {
            try syscall("unlink", detail: path) { unlink(path) }
        } catch let error where error.code == ENOENT {
            // Another process has already removed it.
        }
    }

    private static func removeStale(_ path: String) throws(SystemError) {
        var status = stat()
        do {
            try syscall("lstat", detail: path) { lstat(path, &status) }
        } catch let error where error.code == ENOENT {
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(
                code: EEXIST, operation: "bind", detail: "\(path) exists, but is no socket; move it away")
        }
        try syscall("unlink", detail: path) { unlink(path) }
    }

    private static func makeFolder(_ path: String, mode: mode_t) throws(SystemError) {
        do {
            try syscall("mkdir", detail: path) { mkdir(path, mode) }
        } catch let error where error.code == EEXIST {
            return
        } catch let error where error.code == ENOENT {
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            try makeFolder(String(path[..<slash]), mode: mode)
            try syscall("mkdir", detail: path) { mkdir(path, mode) }
        }
    }

    private static func boundPath(_ fd: Int32) throws(SystemError) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        try syscall("getsockname") {
            // Every socket address begins as a sockaddr.
            withUnsafeMutableBytes(of: &address) { bytes in
                getsockname(fd, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
            }
        }
        // An abstract name starts with a zero, and an unnamed socket has no name.
        let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return path.isEmpty ? nil : path
    }
}

/// An accepted connection: its descriptor, nonblocking and close-on-exec, and the peer's credentials.
package struct AcceptedConnection: ~Copyable {
    package let peer: PeerCredentials
    private let descriptor: FileDescriptor

    init(peer: PeerCredentials, descriptor: consuming FileDescriptor) {
        self.peer = peer
        self.descriptor = descriptor
    }

    /// Hands the descriptor over.
    package consuming func takeDescriptor() -> FileDescriptor { descriptor }
}
