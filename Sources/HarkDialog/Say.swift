import Glibc
import HarkWire

/// Messages on standard error.
nonisolated enum Say {
    static func error(_ text: String) {
        write("hark-dialog: \(VisibleText.lines(text))\n")
    }

    static func write(_ text: String, to descriptor: CInt = 2) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            // There is no reader, so the message is dropped.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
