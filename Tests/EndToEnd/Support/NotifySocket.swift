import Foundation
import HarkTesting

/// The end of a service manager that listens to `sd_notify`.
final class NotifySocket {
    let path: String
    private let descriptor: CInt

    init(_ path: String) throws {
        self.path = path
        descriptor = try boundDatagramSocket(path)
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
