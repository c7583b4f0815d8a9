import Glibc
import HarkAsking
import HarkClient

/// The raw mode of the terminal on standard input and output for a form or a prompt: each key arrives at once and is
/// not echoed. A form uses the alternate screen.
///
/// `leave`, or the end of this value, restores the terminal. Meanwhile signals do not end the process, as long as the
/// caller has them in a `SignalQueue`.
struct TerminalMode: ~Copyable {
    /// What the terminal is used for.
    enum Kind: Sendable {
        /// A form on the alternate screen.
        case screen
        /// A prompt below the present content. Keys typed before it appears belong to it.
        case line

        /// The escape codes at the start, with bracketed paste.
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

    /// Writes to the terminal. Errors are ignored: reading will report a terminal that is gone.
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
