internal import CLinux
internal import CSystemd
internal import Glibc

/// Queries and options of a TCP connection that a library owns.
package enum TCPSocket {
    /// Duplicates the descriptor, close-on-exec.
    package static func another(_ fd: Int32) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try syscall("fcntl") { fcntl(fd, F_DUPFD_CLOEXEC, 0) })
    }

    /// Makes the kernel detect a vanished peer without waking this process: within two minutes, while idle (keep-alive)
    /// or with unacknowledged data.
    package static func noticeSilence(_ fd: Int32) throws(SystemError) {
        try set(fd, SOL_SOCKET, SO_KEEPALIVE, 1)
        try set(fd, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        try set(fd, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 20)
        try set(fd, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        try set(fd, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
    }

    private static func set(_ fd: Int32, _ level: Int32, _ name: Int32, _ value: Int32) throws(SystemError) {
        var value = value
        try syscall("setsockopt") { setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) }
    }

    /// The next result of a read.
    package enum Outlook: Equatable, Sendable {
        case something
        case nothingYet
        /// The peer has closed.
        case end
        /// An errno value: the connection was refused or is broken.
        case broken(Int32)
    }

    /// Peeks without reading.
    package static func outlook(_ fd: Int32) -> Outlook {
        var byte: UInt8 = 0
        while true {
            let count = recv(fd, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            if count > 0 { return .something }
            if count == 0 { return .end }
            if errno == EAGAIN { return .nothingYet }
            if errno != EINTR { return .broken(errno) }
        }
    }

    /// The number of bytes read so far; nil if the kernel does not report it.
    package static func bytesRead(_ fd: Int32) -> Int? {
        let count = hark_tcp_bytes_read(fd)
        return count < 0 ? nil : Int(count)
    }

    /// Whether it is connected.
    package static func isConnected(_ fd: Int32) -> Bool { address(fd, getpeername) != nil }

    /// Whether it uses IPv6.
    package static func isIPv6(_ fd: Int32) -> Bool { address(fd, getsockname)?.ss_family == sa_family_t(AF_INET6) }

    private static func address(
        _ fd: Int32, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> sockaddr_storage? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(fd, $0, &length) }
        }
        return result == 0 ? address : nil
    }
}
