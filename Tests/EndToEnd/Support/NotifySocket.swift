import Foundation

/// The end of a service manager that listens to `sd_notify`.
final class NotifySocket {
    let path: String
    private let descriptor: CInt

    init(_ path: String) throws {
        self.path = path
        descriptor = try check("socket") { socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        try check("bind") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    deinit { close(descriptor) }

    /// The assignments told so far and not read yet.
    func messages() -> [String] {
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return messages }
            messages += String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}
