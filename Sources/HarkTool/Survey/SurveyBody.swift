import HarkAsking
import HarkWire

/// Lays out a form without its footer.
struct SurveyBody {
    let form: TerminalForm
    let glyphs: Glyphs
    let width: Int
    private let isRoomy: Bool
    private let margin: String
    private(set) var body = SurveyScreen.Body()

    init(_ form: TerminalForm, glyphs: Glyphs) {
        self.form = form
        self.glyphs = glyphs
        width = SurveyScreen.width(form.size)
        isRoomy = SurveyScreen.isRoomy(form.size)
        margin = String(repeating: " ", count: SurveyScreen.margin(form.size))
        layOut()
    }

    private mutating func layOut() {
        space()
        if form.isThanks {
            wrap(form.thanks?.title ?? "Thank you!", .bold)
            return wrap(form.thanks?.message ?? "Your answer was saved.")
        }
        wrap(form.title, .bold)
        if let filling = form.filling {
            if layOut(filling) { return addButtons() }
        } else {
            wrap(form.message)
            if let asker = form.asker { wrap("Asked by \(asker)", .dim) }
            if form.hasPages, !form.isPrompt, let number = form.questionNumber {
                space()
                add(StyledLine("Question \(number)", .dim))
            }
        }
        if let prompt = form.matrixPrompt { wrap(prompt, .bold) }
        for (place, field) in form.shownFields.enumerated() {
            if !form.hasPages || form.isPrompt || field.matrix != nil { space() }
            if !field.prompt.isEmpty {
                let isOptional = form.hasPages && !field.isRequired && !field.isNote
                wrap(isOptional ? field.prompt + " (optional)" : field.prompt, field.isNote ? .plain : .bold)
            }
            if let image = field.image { wrap(image.line, .dim) }
            if let hint = field.choiceHint { wrap(hint, .dim) }
            if let ends = field.ends.line { wrap(ends, .dim) }
            let isFocused = form.focus == .field(place)
            switch field.input {
            case .choice(let choices) where field.matrix != nil && form.page.count > 1 && !isFocused:
                add(chosen: choices)
            case .choice(let choices):
                if isRoomy, field.matrix == nil, !field.prompt.isEmpty { space() }
                add(choices, isFocused: isFocused)
            case .text(let text): add(text, isFocused: isFocused)
            case .slider(let scale): add(scale, isFocused: isFocused)
            case .note: break
            }
            if let standing = form.filling?.standing(of: field.id) { wrap(standing.text, standing.look) }
        }
        addButtons()
    }

    mutating func space() {
        if isRoomy { body.lines.append(StyledLine()) }
    }

    mutating func add(_ line: StyledLine) {
        body.lines.append(StyledLine(margin) + line)
    }

    mutating func wrap(_ text: String, _ look: Look = .plain) {
        for paragraph in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let visible = VisibleText.make(String(paragraph))
            for line in WordWrap.lines(visible, width: width) { add(StyledLine(line, look)) }
        }
    }

    private func marker(_ isFocused: Bool) -> StyledLine {
        isFocused ? StyledLine("▸ ", .selected) : StyledLine("  ")
    }

    private mutating func add(_ field: ChoiceField, isFocused: Bool) {
        let start = body.lines.count
        // If no choice is selected yet, the focus is on all choices.
        let waits = isFocused && field.cursor == nil
        defer { if waits { point(from: start, row: start, column: 0) } }
        let keys = field.typedKeys
        let keyWidth = max(1, keys.compactMap { $0?.count }.max() ?? 1)
        for (place, choice) in field.choices.enumerated() {
            let isPointed = isFocused && place == field.cursor
            let isChosen = field.chosen.contains(place)
            var head = marker(isPointed)
            head.append(TextWidth.padded(keys[place] ?? "", keyWidth) + "  ", waits ? .accent : .dim)
            if !form.answersAtOnce {
                let rank = field.isRanked ? "[\(field.rank(of: place).map(String.init) ?? " ")]" : nil
                head.append((rank ?? sign(isChosen, field.isMultiple)) + " ", isChosen ? .selected : .plain)
            }
            if let emoji = choice.emoji, !glyphs.isASCII { head.append(VisibleText.make(emoji) + "  ") }
            let room = max(1, width - head.width)
            // A number that is its own key is not repeated.
            let label = keys[place] == choice.words ? [""] : WordWrap.lines(VisibleText.make(choice.words), width: room)
            let first = body.lines.count
            for (row, text) in label.enumerated() {
                let start = row == 0 ? head : StyledLine(String(repeating: " ", count: head.width))
                add(start + StyledLine(text, isPointed || isChosen ? .selected : .plain))
            }
            if isPointed { point(from: first, row: first, column: 0) }
        }
    }

    /// Adds a row of a matrix without the focus: only the chosen column.
    private mutating func add(chosen field: ChoiceField) {
        let words = field.chosen.min().map { field.choices[$0].words }
        let mark = StyledLine("  " + sign(words != nil, false) + " ", words == nil ? .dim : .selected)
        let lines = WordWrap.lines(VisibleText.make(words ?? "no answer yet"), width: max(1, width - mark.width))
        for (row, text) in lines.enumerated() {
            let start = row == 0 ? mark : StyledLine(String(repeating: " ", count: mark.width))
            add(start + StyledLine(text, words == nil ? .dim : .selected))
        }
    }

    private mutating func add(_ field: ScaleField, isFocused: Bool) {
        let start = body.lines.count
        if let legend = field.legend { wrap(legend, .dim) }
        let lines = ScaleLine(field: field, glyphs: glyphs, width: width).lines(isFocused: isFocused)
        for line in lines { add(line) }
        if isFocused { point(from: start, row: body.lines.count - 1, column: 0) }
    }

    private func sign(_ isChosen: Bool, _ isMultiple: Bool) -> String {
        if isMultiple { return isChosen ? "[x]" : "[ ]" }
        if glyphs.isASCII { return isChosen ? "(*)" : "( )" }
        return isChosen ? "●" : "○"
    }

    private mutating func add(_ field: TextField, isFocused: Bool) {
        let room = SurveyScreen.textWidth(form.size)
        let characters = field.editor.characters
        let layout = WordWrap.rows(characters, width: room)
        let look: Look = isFocused ? .accent : .dim
        let first = body.lines.count
        if isRoomy { add(StyledLine("╭" + String(repeating: "─", count: room + 2) + "╮", look)) }
        let start = body.lines.count
        for row in 0..<max(layout.count, isRoomy && !field.isOneLine ? 3 : 1) {
            var text = ""
            for character in row < layout.count ? characters[layout[row]] : [] {
                if TextWidth.of(text) + TextWidth.of(character) > room { break }
                text.append(character)
            }
            let isEmpty = characters.isEmpty && row == 0
            let shown = isEmpty ? StyledLine(placeholder(field, room), .dim) : StyledLine(text)
            let fill = StyledLine(String(repeating: " ", count: max(0, room - shown.width)))
            add(
                isRoomy
                    ? StyledLine("│ ", look) + shown + fill + StyledLine(" │", look) : StyledLine("▏ ", look) + shown)
        }
        addEnd(of: field, room, look)
        guard isFocused else { return }
        let place = field.editor.place(in: layout)
        point(from: first, row: start + place.row, column: min(place.column, room) + 2)
    }

    /// Adds the lower border with the counter.
    private mutating func addEnd(of field: TextField, _ room: Int, _ look: Look) {
        let counter = StyledLine(field.counter, field.isTooLong ? .bad : look)
        guard isRoomy else { return add(StyledLine("  ") + counter) }
        let line = StyledLine("╰" + String(repeating: "─", count: max(0, room - 1 - counter.width)) + " ", look)
        add(line + counter + StyledLine(" ─╯", look))
    }

    private func placeholder(_ field: TextField, _ room: Int) -> String {
        WordWrap.lines(VisibleText.make(field.rules.placeholder ?? ""), width: room).first ?? ""
    }

    private mutating func addButtons() {
        guard !form.buttons.isEmpty else { return }
        space()
        let first = body.lines.count
        var lines = [StyledLine()]
        var focus: (row: Int, column: Int)?
        for (place, button) in form.buttons.enumerated() {
            let text = text(of: button)
            let gap = place == 0 ? 0 : 2
            if place > 0, lines[lines.count - 1].width + gap + text.width > width {
                lines.append(StyledLine())
            } else if gap > 0 {
                lines[lines.count - 1].append("  ")
            }
            if form.focus == button.focus { focus = (lines.count - 1, lines[lines.count - 1].width) }
            lines[lines.count - 1] = lines[lines.count - 1] + text
        }
        for line in lines { add(line) }
        if let focus { point(from: first, row: first + focus.row, column: focus.column) }
    }

    /// A disabled button has no brackets.
    private func text(of button: SurveyForm.Button) -> StyledLine {
        let label = VisibleText.make(button.label)
        guard button.isEnabled else { return StyledLine("    \(label)  ", .dim) }
        let isFocused = form.focus == button.focus
        return marker(isFocused) + StyledLine("[ \(label) ]", isFocused ? .selected : .plain)
    }

    /// Moves the focus to the rows from `first` to the last one so far.
    private mutating func point(from first: Int, row: Int, column: Int) {
        body.focus = first...(body.lines.count - 1)
        body.cursor = (row, column + margin.utf8.count)
    }
}
