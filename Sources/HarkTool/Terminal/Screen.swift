import HarkWire

/// The content of a screen: its rows from the top, and the cursor.
struct ScreenFrame: Sendable, Equatable {
    var lines: [StyledLine] = []
    var cursor: (row: Int, column: Int)?
    /// Whether the cursor is visible. An invisible cursor still tells screen readers where the focus is.
    var showsCursor = false

    static func == (left: ScreenFrame, right: ScreenFrame) -> Bool {
        left.lines == right.lines && left.showsCursor == right.showsCursor && left.cursor?.row == right.cursor?.row
            && left.cursor?.column == right.cursor?.column
    }
}

/// Tracks the terminal's content, so that only changed rows are written.
struct Screen {
    let coloured: Bool
    private var shown: [String] = []

    init(coloured: Bool) {
        self.coloured = coloured
    }

    /// Notes that the terminal's content is unknown.
    mutating func forget() { shown = [] }

    /// Returns the bytes that update the terminal from the last frame to this one.
    mutating func update(to frame: ScreenFrame) -> String {
        var output = "\u{1B}[?25l"
        if shown.isEmpty { output += "\u{1B}[0m\u{1B}[2J" }
        let lines = frame.lines.map { encode($0) }
        for row in 0..<max(lines.count, shown.count) {
            let line = row < lines.count ? lines[row] : ""
            if row < shown.count, shown[row] == line { continue }
            output += "\u{1B}[\(row + 1);1H\u{1B}[K" + line
        }
        shown = lines.isEmpty ? [""] : lines
        if let cursor = frame.cursor { output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H" }
        return output + (frame.showsCursor ? "\u{1B}[?25h" : "")
    }

    /// Encodes a row. Field contents may have control characters, so they are escaped.
    private func encode(_ line: StyledLine) -> String {
        line.spans.reduce(into: "") { text, span in
            let shown = VisibleText.make(span.text)
            text += !coloured || span.look == .plain ? shown : "\u{1B}[\(span.look.code)m\(shown)\u{1B}[0m"
        }
    }
}
