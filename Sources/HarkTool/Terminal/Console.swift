import Glibc
import HarkClient
import HarkWire

/// Where a command prints: standard output through a buffer, standard error at once. Nothing else of the tool writes
/// there but a form on the screen (`TerminalMode`).
///
/// What others recorded never moves a cursor or forges a line: on a terminal, control characters and what turns text
/// around are escaped here, whoever prints them. Standard output to a pipe or a file stays as it was recorded; standard error is for
/// people wherever it goes.
/// Words of the tool's own (`print(_:)`, `say`) may be coloured by `Style`; data in them goes through `VisibleText` where
/// it is put in, for only there it is known where it ends.
///
/// When the reader of a pipe has gone, the process ends quietly: by SIGPIPE as usual, or with its exit code where that
/// signal is ignored.
final class Console {
    private var buffer: [UInt8] = []

    let outputIsTerminal = isatty(1) == 1
    private(set) lazy var errorIsTerminal = isatty(2) == 1
    private(set) lazy var inputIsTerminal = isatty(0) == 1
    /// Whether somebody has typed this command and sees what it says. A shell that somebody types into gives each line a group
    /// of processes of its own, which its first program leads; what a script runs is in the script's.
    private(set) lazy var isTyped = errorIsTerminal && getpgrp() == getpid()
    /// Colours are for terminals, and not for those who do not want them (no-color.org) or cannot have them.
    private(set) lazy var style = TextStyle(
        coloured: outputIsTerminal && (SocketAddress.environment("NO_COLOR") ?? "").isEmpty
            && SocketAddress.environment("TERM") != "dumb")

    /// What the terminal can show.
    private(set) lazy var glyphs = Glyphs.ofTerminal()

    /// Whether there is somebody before a terminal that can show a form.
    var hasScreen: Bool {
        let terminal = SocketAddress.environment("TERM") ?? ""
        return inputIsTerminal && outputIsTerminal && !["", "dumb"].contains(terminal)
    }

    /// Prints a line, or a few, of the tool's own words.
    func print(_ text: String) throws(ToolError) { try write(text + "\n") }

    /// Prints lines of the tool's own words, ready with their ends.
    func print(lines: [UInt8]) throws(ToolError) {
        if outputIsTerminal {
            try write(String(decoding: lines, as: UTF8.self))
        } else {
            try append(bytes: lines)
        }
    }

    /// Prints a value as it was recorded: what a script wants.
    func print(value: String) throws(ToolError) {
        try append((outputIsTerminal ? VisibleText.make(value) : value) + "\n")
    }

    /// Prints a text as it was recorded, and anything else as JSON.
    func print(value: JSONText) throws(ToolError) {
        if let text = value.string { try print(value: text) } else { try print(json: value) }
    }

    /// Prints JSON as it came.
    func print(json: JSONText) throws(ToolError) { try append(json: json.bytes) }

    func print(json: String) throws(ToolError) { try print(json: JSONText(json)) }

    /// Writes words of the tool's own, without a line end.
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

    /// Waits until there is something to read. Where that may take long, it is noticed meanwhile that nobody reads what is
    /// printed any more, which ends the process as a write would.
    ///
    /// - Parameters:
    ///   - descriptor: -1: nothing is to be read.
    ///   - milliseconds: how long at most; -1: for ever.
    func wait(for descriptor: CInt, atMost milliseconds: CInt = -1) {
        // Asked for nothing, poll(2) tells of what is over. Of what was never open it would tell at once, for ever.
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: fcntl(1, F_GETFD) < 0 ? -1 : 1, events: 0, revents: 0),
        ]
        while poll(&entries, nfds_t(entries.count), milliseconds) < 0, errno == EINTR {}
        if entries[1].revents & Int16(POLLERR | POLLHUP) != 0 { Self.endWithoutReader() }
    }

    private static func endWithoutReader() -> Never {
        raise(SIGPIPE)
        // It is ignored.
        _exit(128 + SIGPIPE)
    }

    /// Prints a line on standard error.
    func say(_ text: String) {
        put(text + "\n")
    }

    /// Prints on standard error, without a newline. Where that is a file, such as cron's or a unit's, somebody reads it in a
    /// terminal.
    func put(_ text: String) {
        putRaw(TerminalText.make(text, glyphs: errorIsTerminal ? glyphs : nil))
    }

    /// Shows a line of standard error's terminal anew, and stays in it; an empty one takes it away.
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
