import Glibc

/// A socket that swallows the messages of `logger`, so that its time does not include a log daemon's.
final class DatagramSink {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = try check("socket", socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
        var address = sockaddr_un()
        try address.setPath(path)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try check(path, bound)
    }

    deinit { close(descriptor) }

    /// Empties the queue, or the next sender would have to wait.
    func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
    }
}
