import HarkAsking
import HarkWire

/// The layout of a survey's form on a terminal.
///
/// If the body is longer than the screen, the part with the focus is shown. The footer is always visible.
struct SurveyScreen {
    /// The form without the footer, at full length, with the rows of the focus and the place of the cursor.
    struct Body {
        var lines: [StyledLine] = []
        var focus = 0...0
        var cursor = (row: 0, column: 0)
    }

    private let form: TerminalForm
    private let size: TerminalSize
    private let glyphs: Glyphs
    let body: Body

    private static let widest = 76

    init(_ form: TerminalForm, glyphs: Glyphs = .all) {
        self.form = form
        self.glyphs = glyphs
        size = form.size
        body = SurveyBody(form, glyphs: glyphs).body
    }

    /// The number of columns between the margins.
    static func width(_ size: TerminalSize) -> Int {
        max(1, min(size.columns - 2 * margin(size), widest))
    }

    static func margin(_ size: TerminalSize) -> Int { size.columns >= 40 ? 2 : 0 }

    /// Whether there is room for frames and empty lines.
    static func isRoomy(_ size: TerminalSize) -> Bool { size.rows >= 16 && size.columns >= 30 }

    /// The number of columns for the text of a field.
    static func textWidth(_ size: TerminalSize) -> Int {
        max(1, width(size) - (isRoomy(size) ? 4 : 2))
    }

    /// The number of visible rows of the body.
    var bodyRows: Int { max(1, size.rows - footer.count) }

    /// The first visible row of the body.
    var top: Int {
        let last = max(0, body.lines.count - bodyRows)
        if let scroll = form.scroll { return min(scroll, last) }
        // Scrolls as little as shows the focus; of a focus that is taller than the screen, its cursor.
        let lower = min(body.focus.lowerBound, body.cursor.row)
        let upper = max(body.focus.upperBound, body.cursor.row)
        let isTall = upper - lower >= bodyRows
        let needed = (isTall ? body.cursor.row : upper) - bodyRows + 1
        return min(max(0, needed), last)
    }

    var frame: ScreenFrame {
        let top = top
        let rows = bodyRows
        var frame = ScreenFrame()
        frame.lines = Array(body.lines[top..<min(top + rows, body.lines.count)]) + footer
        frame.lines = frame.lines.map { glyphs.apply($0).clipped(to: size.columns) }
        if frame.lines.count > size.rows { frame.lines.removeLast(frame.lines.count - size.rows) }
        let row = body.cursor.row - top
        if (0..<rows).contains(row) {
            frame.cursor = (row, min(body.cursor.column, size.columns - 1))
            if case .field(let place) = form.focus {
                frame.showsCursor = form.shownFields[place].isText && !form.isThanks
            }
        }
        return frame
    }

    private var footer: [StyledLine] {
        guard size.rows > 2 else { return [] }
        let margin = StyledLine(String(repeating: " ", count: Self.margin(size)))
        let words = status.map { margin + $0 }
        let hints = margin + StyledLine(hints, .dim)
        guard Self.isRoomy(size) else { return [words.first ?? hints] }
        return [StyledLine()] + words + [hints]
    }

    /// The current message, one or more lines.
    private var status: [StyledLine] {
        if form.asks == .dismiss { return [StyledLine("Throw away what you answered? y / n", .bold)] }
        if form.asks == .mute { return [StyledLine("Never ask this again, in any app? y / n", .bold)] }
        if let problem = form.problem { return [StyledLine(VisibleText.make(problem), .bad)] }
        if let notice = form.notice { return [StyledLine(VisibleText.make(notice), .bad)] }
        return form.filling?.banner.map { lines(of: $0) } ?? []
    }

    private func lines(of banner: Filling.Banner) -> [StyledLine] {
        let width = Self.width(size)
        var text = (banner.isGood ? "✓ " : "✗ ") + VisibleText.make(banner.text)
        if !banner.isGood {
            let place = banner.question == form.current.id ? nil : form.route.firstIndex { $0 == banner.question }
            text += (place.map { " (question \($0 + 1))" } ?? "") + ". Ctrl-R tries again."
        }
        return WordWrap.lines(text, width: max(1, width - 2)).prefix(3).map { line in
            let fill = String(repeating: " ", count: max(0, width - 2 - TextWidth.of(line)))
            return StyledLine(" \(line)\(fill) ", banner.isGood ? .goodBanner : .warningBanner)
        }
    }

    /// The keys available here, the most important first, as many as fit.
    private var hints: String {
        let room = size.columns - 2 * Self.margin(size)
        var line = isCut ? "PgUp/PgDn ⋮" : ""
        for hint in keyHints {
            let longer = line.isEmpty ? hint : line + " · " + hint
            if TextWidth.of(longer) > room { break }
            line = longer
        }
        return line
    }

    private var isCut: Bool { body.lines.count > max(1, size.rows - (Self.isRoomy(size) ? 2 : 1)) }

    private var keyHints: [String] {
        if form.isThanks { return ["Ctrl-E change answer", "Enter close"] }
        if let filling = form.filling { return keyHints(filling) }
        let close =
            form.isChange
            ? ["Esc leave it as it was"]
            : ["Esc dismiss", form.isPrompt ? "Ctrl-C cancel" : "Ctrl-C later"]
                + (form.mayBeMuted ? ["Ctrl-X never again"] : [])
        switch form.focus {
        case .field(let place):
            guard case .choice(let field) = form.shownFields[place].input else {
                return form.shownFields[place].keyHints + ["Tab next", "Ctrl-D \(forwardWord)"] + close
            }
            let span = field.keySpan ?? arrows
            if form.answersAtOnce { return ["\(span) answer", "\(arrows) Enter"] + close }
            if field.isMultiple {
                return ["\(span) or Space mark", "Enter \(form.hasPages ? "next" : "done")"] + close
            }
            return ["\(span) choose", "Enter next"] + close
        case .back: return ["Enter back", "Tab next"] + close
        case .forward, .send: return ["Enter \(forwardWord)"] + close
        }
    }

    private func keyHints(_ filling: Filling) -> [String] {
        if filling.isAtStart { return ["Enter start", "Esc close"] }
        if filling.isAtEnd { return ["Enter close", "b back"] }
        let retry = filling.retry(on: form.current.id) == nil ? [] : ["Ctrl-R try again"]
        let go = filling.isSubmitted ? ["Ctrl-D submit"] : []
        let pages = ["Ctrl-N next", "Ctrl-P previous", "Esc close"]
        guard case .field(let place) = form.focus else { return retry + ["Enter press", "Tab"] + pages }
        guard case .choice(let field) = form.shownFields[place].input else {
            return retry + form.shownFields[place].keyHints + (filling.isSubmitted ? go : ["Ctrl-D next"]) + ["Tab"]
                + pages
        }
        let span = field.keySpan ?? arrows
        let take = field.isMultiple ? "\(span) or Space mark" : "\(span) choose"
        return retry + [take, "Enter next"] + go + pages
    }

    private var arrows: String { glyphs.isASCII ? "Up/Down" : "↑↓" }

    private var forwardWord: String { form.isLastPage ? "send" : "next" }
}

extension FormField {
    /// The keys of a field without choices.
    fileprivate var keyHints: [String] {
        switch input {
        case .slider: ["←→ move", "Enter next"]
        case .text(let text) where text.isOneLine: ["Enter next"]
        case .text, .choice, .note: []
        }
    }
}
