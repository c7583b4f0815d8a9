import Glibc
import HarkAsking
import HarkClient
import HarkWire

/// Reads a line at a prompt, with history, completion, and the keys of shells.
struct LineEditor {
    /// The result of editing a line.
    enum Line: Equatable {
        case entered(String)
        /// Ctrl-C: the line is discarded.
        case abandoned
        /// Ctrl-D on an empty line, or the terminal is gone.
        case ended
    }

    private let console: Console
    /// Signals that interrupt the wait for keys.
    private let signals: SignalQueue
    private let endings: SignalQueue
    private var decoder = KeyDecoder()
    /// Keys that arrived together with earlier ones, such as the other lines of a paste.
    private var keys: ArraySlice<TerminalKey> = []

    private var prompt = ""
    private var editor = TextEditor()
    /// The index of the history line that is shown; nil for the typed text, which is kept aside meanwhile.
    private var recalled: Int?
    private var aside = ""
    /// The row of the cursor, counted from the first row of the prompt.
    private var cursorRow = 0

    private static let undecided: CInt = 50

    /// - Parameter endings: The signals that end the process or a statement.
    init(_ console: Console, endings: SignalQueue) {
        self.console = console
        self.endings = endings
        signals = SignalQueue([SIGWINCH, SIGCONT])
    }

    mutating func read(_ prompt: String, _ history: ShellHistory) throws -> Line {
        self.prompt = prompt
        editor = TextEditor()
        recalled = nil
        cursorRow = 0
        var mode = try TerminalMode(.line)
        draw()
        while true {
            while let key = keys.popFirst() {
                if let line = try handle(key, history, &mode) {
                    moveToEnd()
                    TerminalMode.write("\r\n")
                    return line
                }
                if keys.isEmpty { draw() }
            }
            guard try wait(&mode) else { return .ended }
        }
    }

    // MARK: Keys

    private mutating func handle(_ key: TerminalKey, _ history: ShellHistory, _ mode: inout TerminalMode) throws
        -> Line?
    {
        switch key {
        case .character(let character): editor.insert(String(character))
        case .paste(let text): paste(text)
        case .enter: return .entered(editor.text)
        case .tab: complete()
        case .backspace: editor.deleteBackward()
        case .delete: editor.deleteForward()
        case .left, .control("b"): editor.moveLeft()
        case .right, .control("f"): editor.moveRight()
        case .wordLeft: editor.moveWordLeft()
        case .wordRight: editor.moveWordRight()
        case .home, .control("a"): editor.moveToLineStart()
        case .end, .control("e"): editor.moveToLineEnd()
        case .up, .control("p"): recall(history, -1)
        case .down, .control("n"): recall(history, 1)
        case .control("u"): editor.deleteToLineStart()
        case .control("k"): editor.deleteToLineEnd()
        case .control("w"): editor.deleteWord()
        case .control("l"):
            TerminalMode.write("\u{1B}[H\u{1B}[2J")
            cursorRow = 0
        case .control("c"): return .abandoned
        case .control("d"):
            if editor.characters.isEmpty { return .ended }
            editor.deleteForward()
        case .control("z"):
            mode.leave()
            SignalQueue.stop(wholeJob: true)
            try mode.enter()
        default: break
        }
        return nil
    }

    /// Enters the lines of a paste one after the other, and leaves the last one for editing.
    private mutating func paste(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        editor.insert(String(lines[0]))
        keys = lines.dropFirst().flatMap { [TerminalKey.enter, .paste(String($0))] } + keys
    }

    private mutating func recall(_ history: ShellHistory, _ step: Int) {
        let lines = history.lines
        let place = (recalled ?? lines.count) + step
        guard place >= 0, place <= lines.count else { return }
        if recalled == nil { aside = editor.text }
        recalled = place == lines.count ? nil : place
        editor = TextEditor(recalled.map { lines[$0] } ?? aside)
    }

    private mutating func complete() {
        let before = String(editor.characters[..<editor.cursor])
        let (length, words) = ShellCompletion.candidates(before)
        guard !words.isEmpty else { return }
        let common = ShellCompletion.common(words)
        if words.count == 1 || common.count > length {
            for _ in 0..<length { editor.deleteBackward() }
            editor.insert(common + (words.count == 1 ? " " : ""))
            return
        }
        moveToEnd()
        TerminalMode.write("\r\n" + words.joined(separator: "  ") + "\r\n")
        cursorRow = 0
    }

    // MARK: The terminal

    /// Waits for keys or a signal. Returns false when the terminal is gone.
    private mutating func wait(_ mode: inout TerminalMode) throws -> Bool {
        let ready = Input.wait(
            for: 0, signals.descriptor, endings.descriptor, atMost: decoder.isUndecided ? Self.undecided : -1)
        if !ready.contains(true) { keys += decoder.settle() }
        if ready[2] { endProcess(&mode) }
        if ready[1] { try attend(&mode) }
        guard ready[0] else { return true }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let read = Glibc.read(0, &bytes, bytes.count)
        if read < 0, errno == EINTR || errno == EAGAIN { return true }
        guard read > 0 else { return false }
        keys += decoder.feed(bytes[..<read])
        return true
    }

    /// Handles a new size, or the return from being stopped.
    private mutating func attend(_ mode: inout TerminalMode) throws {
        while let number = signals.next() {
            if number == SIGCONT {
                try mode.enter()
                cursorRow = 0
            }
        }
        // Terminals rewrap wrapped text, so the cursor is where it would be if the text had been written at this width.
        cursorRow = place(of: editor.cursor).row
        draw()
    }

    /// Handles a signal sent by another process; Ctrl-C is a key here.
    private func endProcess(_ mode: inout TerminalMode) {
        guard let number = endings.next(), number != SIGINT else { return }
        mode.leave()
        TerminalMode.write("\r\n")
        SignalQueue.endProcess(by: number)
    }

    /// Redraws the prompt and the text, from the row of the prompt.
    private mutating func draw() {
        var output = "\r" + (cursorRow > 0 ? "\u{1B}[\(cursorRow)A" : "") + "\u{1B}[J"
        output += console.style.dim(prompt)
        for character in editor.characters { output += Self.shown(character) }
        let end = place(of: editor.characters.count)
        // At the right margin a terminal delays the wrap. A line break makes the position of the cursor certain.
        if end.column == 0, end.row > 0 { output += "\r\n" }
        let cursor = place(of: editor.cursor)
        if end.row > cursor.row { output += "\u{1B}[\(end.row - cursor.row)A" }
        output += "\r" + (cursor.column > 0 ? "\u{1B}[\(cursor.column)C" : "")
        TerminalMode.write(output)
        cursorRow = cursor.row
    }

    private mutating func moveToEnd() {
        let end = place(of: editor.characters.count)
        if end.row > cursorRow { TerminalMode.write("\u{1B}[\(end.row - cursorRow)B") }
        cursorRow = end.row
    }

    /// Returns the row and column of a character, counted from the beginning of the prompt.
    private func place(of index: Int) -> (row: Int, column: Int) {
        let columns = max(TerminalMode.size.columns, 2)
        var place = (row: 0, column: 0)
        func pass(_ width: Int) {
            // A wide character is not split.
            if place.column + width > columns { place = (place.row + 1, 0) }
            place.column += width
            if place.column >= columns { place = (place.row + 1, 0) }
        }
        for character in prompt { pass(TextWidth.of(character)) }
        for character in editor.characters[..<index] {
            for part in Self.shown(character) { pass(TextWidth.of(part)) }
        }
        return place
    }

    /// Escapes characters that a terminal would obey.
    private static func shown(_ character: Character) -> String { VisibleText.make(String(character)) }
}
