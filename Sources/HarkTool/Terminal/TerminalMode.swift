import Glibc
import HarkAsking
import HarkClient

/// The terminal of standard input and output while a form or a prompt is on it: every key comes at once and unseen. A form
/// has another screen than the shell's.
///
/// What was is put back by `leave`, or when the value ends. Signals do not end the process in between as long as the
/// caller has them in a `SignalQueue`.
struct TerminalMode: ~Copyable {
    /// What is shown.
    enum Kind: Sendable {
        /// Another screen.
        case screen
        /// A line below what is there. What was typed before it is shown belongs to it.
        case line

        /// With pasted text in brackets.
        fileprivate var entry: String {
            self == .screen ? "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[H\u{1B}[2J" : "\u{1B}[?2004h"
        }
        fileprivate var exit: String {
            self == .screen ? "\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1049l" : "\u{1B}[?2004l"
        }
    }

    private let kind: Kind
    private var saved: termios?

    init(_ kind: Kind = .screen) throws(ToolError) {
        self.kind = kind
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
        repeat {
            status = tcsetattr(0, kind == .screen ? TCSAFLUSH : TCSADRAIN, &mode)
        } while status != 0 && errno == EINTR
        guard status == 0 else {
            throw ToolError(.io, "cannot set the terminal: \(String(cString: strerror(errno)))")
        }
        Self.write(kind.entry)
    }

    mutating func leave() {
        putBack()
        saved = nil
    }

    private func putBack() {
        guard var mode = saved else { return }
        Self.write(kind.exit)
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
