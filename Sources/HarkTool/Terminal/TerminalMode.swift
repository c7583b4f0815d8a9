import Glibc
import HarkClient

/// The terminal of standard input and output while a form is on it: every key comes at once and unseen, the screen is
/// another one than the shell's.
///
/// What was is put back by `leave`, or when the value ends. Signals do not end the process in between as long as the
/// caller has them in a `SignalQueue`.
struct TerminalMode: ~Copyable {
    private var saved: termios?

    /// Another screen, pasted text in brackets.
    private static let entry = "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[H\u{1B}[2J"
    private static let exit = "\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1049l"

    init() throws(ToolError) {
        try enter()
    }

    deinit { putBack() }

    mutating func enter() throws(ToolError) {
        if saved == nil {
            var mode = termios()
            guard tcgetattr(0, &mode) == 0 else {
                throw ToolError(.io, "cannot ask the terminal: \(String(cString: strerror(errno)))")
            }
            saved = mode
        }
        guard var mode = saved else { return }
        cfmakeraw(&mode)
        var status: CInt
        repeat { status = tcsetattr(0, TCSAFLUSH, &mode) } while status != 0 && errno == EINTR
        guard status == 0 else {
            throw ToolError(.io, "cannot set the terminal: \(String(cString: strerror(errno)))")
        }
        Self.write(Self.entry)
    }

    mutating func leave() {
        putBack()
        saved = nil
    }

    private func putBack() {
        guard var mode = saved else { return }
        Self.write(Self.exit)
        tcsetattr(0, TCSADRAIN, &mode)
    }

    /// Writes to the terminal. When it is gone there is nobody to tell; reading from it will say so.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(1, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EAGAIN {
                var entry = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, 1000)
            } else if count < 0, errno != EINTR {
                return
            }
            written += max(count, 0)
        }
    }

    static var size: TerminalSize {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return TerminalSize(rows: 24, columns: 80)
        }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
}

struct TerminalSize: Sendable, Equatable {
    var rows: Int
    var columns: Int
}
