import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// The output of a command: buffered standard output and unbuffered standard error. Only a form on the screen
/// (`TerminalMode`) writes there otherwise.
///
/// Recorded data can never move a cursor or forge a line: on a terminal, control characters and characters that reverse
/// text are escaped here. Standard output to a pipe or file is left as recorded; standard error is for people wherever
/// it goes. The tool's own text (`print(_:)`, `say`) may be coloured by `Style`. Data in it goes through `VisibleText`
/// where it is inserted, because only there its end is known.
///
/// When the reader of a pipe has gone, the process ends quietly: by SIGPIPE, or with its exit code if that signal is
/// ignored.
final class Console {
    private var buffer: [UInt8] = []

    let outputIsTerminal = isatty(1) == 1
    private(set) lazy var errorIsTerminal = isatty(2) == 1
    private(set) lazy var inputIsTerminal = isatty(0) == 1
    /// Whether a person typed this command and sees its messages. An interactive shell gives each line its own process
    /// group, led by its first program; commands of a script are in the group of the script.
    private(set) lazy var isTyped = errorIsTerminal && getpgrp() == getpid()
    /// Colours, for terminals that have them and users who want them (no-color.org).
    private(set) lazy var style = TextStyle(
        coloured: outputIsTerminal && (SocketAddress.environment("NO_COLOR") ?? "").isEmpty
            && SocketAddress.environment("TERM") != "dumb")

    /// The width for wrapping; nil if the output is not a terminal, where nothing is wrapped.
    var columns: Int? { outputIsTerminal ? TerminalMode.size.columns : nil }

    /// The characters that the terminal can show.
    private(set) lazy var glyphs = Glyphs.ofTerminal()

    /// Whether a person is at a terminal that can show a form.
    var hasScreen: Bool {
        let terminal = SocketAddress.environment("TERM") ?? ""
        return inputIsTerminal && outputIsTerminal && !["", "dumb"].contains(terminal)
    }

    /// Prints lines of the tool's own text.
    func print(_ text: String) throws(ToolError) { try write(text + "\n") }

    /// Prints lines of the tool's own text that include their line ends.
    func print(lines: [UInt8]) throws(ToolError) {
        if outputIsTerminal {
            try write(String(decoding: lines, as: UTF8.self))
        } else {
            try append(bytes: lines)
        }
    }

    /// Prints a value as it was recorded, for scripts.
    func print(value: String) throws(ToolError) {
        try append((outputIsTerminal ? VisibleText.make(value) : value) + "\n")
    }

    /// Prints a string as it was recorded, and any other value as JSON.
    func print(value: JSONText) throws(ToolError) {
        if let text = value.string { try print(value: text) } else { try print(json: value) }
    }

    /// Prints JSON as it came.
    func print(json: JSONText) throws(ToolError) { try append(json: json.bytes) }

    func print(json: String) throws(ToolError) { try print(json: JSONText(json)) }

    /// Writes the tool's own text without a line end.
    func write(_ text: String) throws(ToolError) {
        try append(outputIsTerminal ? TerminalText.make(text, glyphs: glyphs) : text)
    }

    /// Writes lines for other programs: tables, metrics, scripts.
    func write(lines: String) throws(ToolError) {
        try append(outputIsTerminal ? VisibleText.lines(lines) : lines)
    }

    private func append(_ text: String) throws(ToolError) { try append(bytes: text.utf8) }

    private func append(json bytes: ArraySlice<UInt8>) throws(ToolError) {
        if outputIsTerminal {
            try append(VisibleText.json(String(decoding: bytes, as: UTF8.self)))
        } else {
            try append(bytes: bytes)
        }
        try append(bytes: CollectionOfOne(.newline))
    }

    private func append(bytes: some Collection<UInt8>) throws(ToolError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 1 << 16 { try flush() }
    }

    func flush() throws(ToolError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes {
                Glibc.write(1, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                Self.endWithoutReader()
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                buffer.removeAll()
                throw ToolError(.io, "cannot write to standard output: \(reason)")
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Waits until there is something to read. Meanwhile it notices when the reader of standard output is gone, which
    /// ends the process as a write would.
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read; -1 for none.
    ///   - milliseconds: The timeout; -1 for none.
    func wait(for descriptor: CInt, atMost milliseconds: CInt = -1) {
        // With no events, poll(2) reports only closed descriptors. One that was never open would be reported at once,
        // for ever.
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: fcntl(1, F_GETFD) < 0 ? -1 : 1, events: 0, revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), milliseconds) < 0, errno == EINTR {}
        if entries[1].revents & Int16(POLLERR | POLLHUP) != 0 { Self.endWithoutReader() }
    }

    private static func endWithoutReader() -> Never {
        raise(SIGPIPE)
        // SIGPIPE is ignored.
        _exit(128 + SIGPIPE)
    }

    /// Prints a line on standard error.
    func say(_ text: String) {
        put(text + "\n")
    }

    /// Prints on standard error, without a newline. A file there, such as cron's or a unit's, is later read in a
    /// terminal.
    func put(_ text: String) {
        putRaw(TerminalText.make(text, glyphs: errorIsTerminal ? glyphs : nil))
    }

    /// Replaces the current line of standard error's terminal. An empty text removes it.
    func rewrite(_ text: String) {
        putRaw("\r\u{1B}[K" + TerminalText.make(text, glyphs: glyphs))
    }

    private func putRaw(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(2, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            // Standard error is gone, so the failure cannot be reported.
            if count < 0, errno != EINTR { return }
            written += max(count, 0)
        }
    }

    /// Asks on the terminal. Only `y` and `yes` mean yes.
    func confirm(_ question: String) -> Bool {
        put(question + " [y/N] ")
        guard let answer = readLine() else {
            say("")
            return false
        }
        return ["y", "yes"].contains(answer.lowercased())
    }
}
