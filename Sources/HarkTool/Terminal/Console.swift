import Glibc
import HarkClient

/// Where a command prints: standard output through a buffer, standard error at once.
///
/// User data goes through `VisibleText` before it is printed for people. When the reader of a pipe has gone, the
/// process ends quietly: by SIGPIPE as usual, or with its exit code where that signal is ignored.
final class Console {
    private var buffer: [UInt8] = []

    let outputIsTerminal = isatty(1) == 1
    private(set) lazy var errorIsTerminal = isatty(2) == 1
    private(set) lazy var inputIsTerminal = isatty(0) == 1
    /// Colours are for terminals, and not for those who do not want them (no-color.org) or cannot have them.
    private(set) lazy var style = Style(
        coloured: outputIsTerminal && (SocketAddress.environment("NO_COLOR") ?? "").isEmpty
            && SocketAddress.environment("TERM") != "dumb")

    /// Whether there is somebody before a terminal that can show a form.
    var hasScreen: Bool {
        let terminal = SocketAddress.environment("TERM") ?? ""
        return inputIsTerminal && outputIsTerminal && !["", "dumb"].contains(terminal)
    }

    func print(_ text: String) throws(ToolError) {
        try write(text.utf8)
        try write(CollectionOfOne(.newline))
    }

    func write(_ bytes: some Collection<UInt8>) throws(ToolError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    func flush() throws(ToolError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { Glibc.write(1, $0.baseAddress! + written, $0.count - written) }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                _exit(128 + SIGPIPE)
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                buffer.removeAll()
                throw ToolError(.io, "cannot write to standard output: \(reason)")
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Prints a line on standard error.
    func say(_ text: String) {
        put(text + "\n")
    }

    /// Prints on standard error, without a newline.
    func put(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress! + written, $0.count - written) }
            // There is nobody left to tell that standard error is gone.
            if count < 0, errno != EINTR { return }
            written += max(count, 0)
        }
    }

    /// Asks on the terminal; only `y` and `yes` are a yes.
    func confirm(_ question: String) -> Bool {
        put(question + " [y/N] ")
        guard let answer = readLine() else {
            say("")
            return false
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}
