import CLinux
import Glibc

/// A netlink socket on which the kernel reports changes of links, addresses and default routes.
struct NetlinkSocket: ~Copyable {
    /// The port number of the socket.
    let port: UInt32
    private let descriptor: FileDescriptor

    /// The maximum size of a datagram from the kernel.
    static let capacity = 32 << 10

    init() throws(SystemError) {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = FileDescriptor(
            owning: try syscall("socket", detail: "AF_NETLINK") { socket(AF_NETLINK, type, NETLINK_ROUTE) })
        let raw = descriptor.raw
        // Without this option there are only more wake-ups.
        _ = hark_netlink_ignore_lesser_routes(raw)
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(
            RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        try syscall("bind", detail: "AF_NETLINK") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(raw, $0, length) }
            }
        }
        try syscall("getsockname", detail: "AF_NETLINK") {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(raw, $0, &length) }
            }
        }
        port = address.nl_pid
        self.descriptor = descriptor
    }

    /// The descriptor, to watch for `.read`.
    var raw: Int32 { descriptor.raw }

    func send(_ request: [UInt8]) throws(SystemError) {
        let raw = raw
        try syscall("send", detail: "AF_NETLINK") { Glibc.send(raw, request, request.count, 0) }
    }

    /// Receives a datagram from the kernel into `buffer`: returns its length, or nil if there is none.
    ///
    /// ENOBUFS means that datagrams were lost.
    func receive(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        let raw = raw
        while true {
            var sender = sockaddr_nl()
            let count = try unlessBlocking { () throws(SystemError) in
                try syscall("recvfrom", detail: "AF_NETLINK") {
                    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
                    return withUnsafeMutablePointer(to: &sender) {
                        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            recvfrom(raw, &buffer, buffer.count, Int32(MSG_TRUNC), $0, &length)
                        }
                    }
                }
            }
            guard let count else { return nil }
            // Other programs can send to a netlink socket too.
            if sender.nl_pid != 0 { continue }
            guard count <= buffer.count else {
                throw SystemError(code: ENOBUFS, operation: "recvfrom", detail: "a datagram of \(count) bytes")
            }
            return count
        }
    }
}
