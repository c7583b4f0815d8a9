import CSystemd
import Glibc

/// The address of a Unix socket: a path in the file system.
package struct UnixAddress: Sendable, Equatable {
    package let path: String

    /// The longest path in bytes, without the terminating zero.
    package static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    package init(path: String) throws(SystemError) {
        guard !path.isEmpty else {
            throw SystemError(code: EINVAL, operation: "bind", detail: "the path of the socket is empty")
        }
        guard path.utf8.count <= Self.maximumLength else {
            let detail = """
                the path of the socket has \(path.utf8.count) bytes and the kernel takes \(Self.maximumLength): \
                choose a shorter one, for example with HARK_SOCKET: \(path)
                """
            throw SystemError(code: ENAMETOOLONG, operation: "bind", detail: detail)
        }
        self.path = path
    }

    /// The folder of the socket.
    var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafeBytes(of: address) { bytes in
            // A value is never empty, and every socket address begins as a sockaddr.
            body(bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
    }
}
