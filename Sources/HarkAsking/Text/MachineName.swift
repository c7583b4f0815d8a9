import Glibc

/// The name of this machine.
package enum MachineName {
    /// The host name, at most 255 bytes; empty if it has none.
    package static var own: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
