import Glibc
import HarkSystem

/// A blocking Unix stream socket that is connected to a path; the caller closes it.
package func connectedSocket(to path: String) throws -> Int32 {
    try unixSocket(SOCK_STREAM, "connect", path, connect)
}

/// A Unix datagram socket that is bound to a path; the caller closes it.
package func boundDatagramSocket(_ path: String) throws -> Int32 {
    try unixSocket(SOCK_DGRAM, "bind", path, bind)
}

private func unixSocket(
    _ kind: __socket_type, _ operation: String, _ path: String,
    _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    // Other tests start programs meanwhile: those must not inherit it.
    let descriptor = try syscall("socket") { socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0) }
    do {
        _ = try syscall(operation, detail: path) {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    } catch {
        close(descriptor)
        throw error
    }
    return descriptor
}
