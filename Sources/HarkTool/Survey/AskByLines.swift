import Glibc
import HarkAsking
import HarkClient

/// Asks a survey or form on standard input and output, line by line.
struct AskByLines {
    private let asked: any Asked
    private let console: Console
    private var dialog: PlainDialog
    private var reader = LineReader()
    private var course = Reconnection()

    init(_ asked: any Asked, _ console: Console) {
        self.asked = asked
        self.console = console
        dialog = PlainDialog(asked.form, glyphs: console.glyphs)
    }

    mutating func run() throws -> AskEnding {
        try put(dialog.opening)
        if let ending = dialog.ending { return ending }
        if let past = dialog.passNote(), let ending = try follow(past) { return ending }
        while true {
            if let line = reader.next() {
                if let ending = try take(String(decoding: line, as: UTF8.self)) { return ending }
                continue
            }
            if let ending = try wait() { return ending }
        }
    }

    private func put(_ text: String) throws {
        try console.write(text)
        try console.flush()
    }

    private mutating func take(_ line: String) throws -> AskEnding? {
        // A line that is not typed leaves no line end on the screen.
        if !console.inputIsTerminal { try put("\n") }
        return try follow(dialog.take(line))
    }

    /// Prints what follows from a line, and carries out its action.
    private mutating func follow(_ step: (text: String, action: SurveyForm.Action?)) throws -> AskEnding? {
        var (text, action) = step
        while true {
            try put(text)
            guard let due = action else { return dialog.ending }
            switch asked.perform(due, &dialog.form) {
            case .ended(let ending): return ending
            case .kept(let route, let questions): (text, action) = dialog.advance(along: route, questions)
            case .refused(let why): (text, action) = (dialog.refuse(why), nil)
            case .told: (text, action) = dialog.goOn()
            }
        }
    }

    /// Waits for input or for the daemon.
    private mutating func wait() throws -> AskEnding? {
        if asked.isAway {
            // Until the daemon is back, only input is read.
            if let ending = try? asked.resume(&dialog.form) { return ending }
            if asked.isAway { course.failed(at: MonotonicClock.now) } else { course.succeeded() }
        } else {
            do throws(ClientError) {
                if let ending = try asked.listen(&dialog.form) { return ending }
            } catch {
                guard asked.outlivesDaemon, asked.isAway else { throw error }
            }
        }
        let patience = asked.isAway ? course.pause(at: MonotonicClock.now) : -1
        guard Input.wait(for: 0, asked.descriptor, atMost: patience)[0] else { return nil }
        switch reader.fill({ read(0, $0, $1) }) {
        case .bytes, .nothing: return nil
        case .failed(let code):
            throw ToolError(.noInput, "cannot read standard input: \(String(cString: strerror(code)))")
        case .tooLong: throw ToolError(.data, "the line is too long for an answer")
        case .end:
            // An unterminated last line counts.
            if let rest = reader.rest(), let ending = try take(String(decoding: rest, as: UTF8.self)) { return ending }
            // Pass over optional questions, each once.
            for _ in dialog.form.fields where !console.inputIsTerminal && dialog.mayPassOver {
                if let ending = try take("") { return ending }
            }
            throw ToolError(
                .noInput, "the input ended before everything was answered", hint: dialog.wordAtTheEnd)
        }
    }
}
