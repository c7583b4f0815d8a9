import HarkAsking
import HarkScreen
import HarkWire

/// The view of a question, with the widgets for its answer.
final class FieldView {
    let widget: Widget
    /// Called when a choice or the text changes.
    var onEdit: (FormField.Input) -> Void = { _ in }
    /// Called when a choice is itself the answer.
    var onAnswer: (FormField.Input) -> Void = { _ in }

    private(set) var field: FormField
    let answersAtOnce: Bool
    let controls: Controls
    /// Filters a long list; nil for other questions.
    private(set) var search: SearchField?
    private let counter = Label().styled("caption", "numeric", "hark-counter").ignoringPointer().aligned(
        x: .end, y: .end)
    private let problem = Label("", .alert, wraps: true).styled("caption", "hark-problem")
    /// The position on a slider, in words.
    private let shownValue = Label("", wraps: true)
    private let sentState = Label("", wraps: true).centered().styled("caption", "dim-label")
    /// The marked choices, if a choice answers at once.
    private var marked: Set<Int> = []
    var typed = TypedNumber()
    /// Whether the widgets are being set, so that changes are not input.
    private var isSetting = false

    enum Controls {
        case radios([RadioButton])
        case rows([CheckRow])
        case buttons([Button])
        case text(TextInput)
        case slider(Slider)
        case note
    }

    /// - Parameter prompt: The text above the question; empty for none.
    init(_ field: FormField, answersAtOnce: Bool, prompt: String, title: String, _ measures: Measures) {
        self.field = field
        self.answersAtOnce = answersAtOnce
        let own = [field.prompt, title].first { !$0.isEmpty } ?? Words.say("Your answer")
        let name = field.matrix.map { "\($0.prompt) \(own)" } ?? own
        let column = VerticalBox(spacing: 12, isGroup: true).named(name)
        widget = column
        widget.describe(field.choiceHint ?? "")
        widget.onFocusLeaving { [weak column] in column?.isFocusable = false }
        if !prompt.isEmpty {
            let label = Label(prompt, .heading, wraps: true)
            column.append(
                field.matrix == nil ? label.centered().styled("title-4") : label.leading().styled("heading"))
        }
        if field.matrix != nil { _ = column.styled("card", "hark-row") }
        let make = ControlMaker(field, name, measures)
        if let image = field.image { column.append(make.image(image)) }
        if let hint = field.choiceHint {
            column.append(Label(hint, wraps: true).centered().styled("dim-label"))
        }
        switch field.input {
        case .text(let text) where text.isOneLine:
            let line = make.line(text)
            controls = .text(line)
            column.append(line)
            if let span = text.span, !span.isEmpty {
                column.append(Label(span).centered().styled("caption", "dim-label"))
            }
        case .text(let text):
            let area = make.area(text)
            controls = .text(area)
            column.append(Overlay(area.styled("card", "hark-area"), counter))
        case .slider(let scale):
            let slider = make.slider(scale)
            controls = .slider(slider)
            column.append(slider)
            if let ends = make.ends { column.append(ends) }
            column.append(shownValue.centered().styled("title-4", "numeric"))
        case .note: controls = .note
        case .choice(let choices) where answersAtOnce:
            let (buttons, box) = make.buttons(choices)
            controls = .buttons(buttons)
            column.append(box)
        case .choice(let choices):
            if let faces = make.faces(choices) {
                controls = .radios(faces.buttons)
                column.append(faces.box)
                if let ends = make.ends { column.append(ends) }
            } else {
                let rows = make.rows(choices)
                controls = .rows(rows)
                search = make.search(rows, of: choices, in: column)
                column.append(List(rows).named(name))
            }
        }
        for stop in stops where !meaning(of: stop).isEmpty { stop.describe(meaning(of: stop)) }
        column.append(problem.aligned(x: .center))
        column.append(sentState)
        sentState.isVisible = false
        connect()
        set(field)
    }

    private func connect() {
        switch controls {
        case .radios(let buttons):
            for (place, button) in buttons.enumerated() {
                button.on("toggled") { [weak self, weak button] in
                    if button?.isOn == true { self?.chose(place, true) }
                    self?.light()
                }
            }
        case .rows(let rows):
            for (place, row) in rows.enumerated() {
                row.check.on("toggled") { [weak self, weak row] in
                    if let row { self?.chose(place, row.isOn) }
                }
            }
        case .buttons(let buttons):
            for (place, button) in buttons.enumerated() {
                button.on("clicked") { [weak self] in self?.chose(place, true) }
            }
        case .text(let area): area.onChange { [weak self] in self?.wrote($0) }
        case .slider(let slider): slider.onMove { [weak self] in self?.moveMark(to: $0) }
        case .note: break
        }
    }

    // MARK: Input

    func chose(_ place: Int, _ isOn: Bool) {
        guard !isSetting, case .choice(var choices) = field.input else { return }
        guard choices.isMultiple || isOn else { return }
        choices.point(at: place)
        choices.set(place, isOn)
        field.input = .choice(choices)
        settleFocus()
        if answersAtOnce { onAnswer(field.input) } else { onEdit(field.input) }
    }

    /// Lights the stars up to the chosen one.
    private func light() {
        guard field.shape == .stars, case .radios(let buttons) = controls else { return }
        let last = buttons.firstIndex { $0.isOn } ?? -1
        for (place, button) in buttons.enumerated() { button.style("hark-lit", place <= last) }
    }

    /// Sets the position of a slider, in steps.
    func moveMark(to place: Int) {
        guard !isSetting, case .slider(var scale) = field.input else { return }
        scale.set(place: place)
        field.input = .slider(scale)
        onEdit(field.input)
    }

    private func wrote(_ text: String) {
        guard !isSetting, case .text(var written) = field.input else { return }
        written.editor = TextEditor()
        written.editor.insert(text)
        field.input = .text(written)
        onEdit(field.input)
    }

    /// Updates the widgets.
    ///
    /// - Parameter saysProblem: Whether to show a problem even of an empty answer.
    func set(_ new: FormField, saysProblem: Bool = false) {
        field = new
        isSetting = true
        switch (controls, field.input) {
        case (.radios(let buttons), .choice(let choices)):
            for (place, button) in buttons.enumerated() where button.isOn != choices.chosen.contains(place) {
                button.isOn = choices.chosen.contains(place)
            }
        case (.rows(let rows), .choice(let choices)):
            for (place, row) in rows.enumerated() where row.isOn != choices.chosen.contains(place) {
                row.isOn = choices.chosen.contains(place)
            }
            for (place, row) in rows.enumerated() where choices.isRanked {
                row.tell(choices.rank(of: place).map { "\($0)." })
            }
        case (.buttons(let buttons), .choice(let choices)):
            for place in marked.symmetricDifference(choices.chosen) where buttons.indices.contains(place) {
                buttons[place].mark(choices.chosen.contains(place))
            }
            marked = choices.chosen
        case (.text(let area), .text(let text)):
            // A person who is typing sees the text already.
            let shown = area.text
            if !area.hasFocus || shown.isEmpty, shown != text.editor.text { area.text = text.editor.text }
            // A bare number would say nothing.
            counter.text = text.rules.maxLength == nil ? "" : text.counter
            counter.style("error", text.isTooLong)
        case (.slider(let slider), .slider(let scale)):
            let words = scale.number.map { scale.words(at: $0) } ?? ""
            slider.set(scale.place, words.isEmpty && scale.number == nil ? Words.say("No answer yet") : words)
            shownValue.text = words
        default: break
        }
        isSetting = false
        settleFocus()
        say(problem: field.problem.flatMap { saysProblem || field.draft != nil ? $0 : nil } ?? "")
    }

    private func say(problem text: String) {
        // A text that is too short is no error while it is being written.
        let isBad =
            switch field.input {
            case .text(let written): written.isTooLong
            case .choice(let choices): !text.isEmpty && choices.chosen.count > choices.count.upperBound
            case .slider, .note: false
            }
        problem.style("error", isBad)
        if problem.text != text { problem.text = text }
        problem.isVisible = !text.isEmpty
        target?.markInvalid(!text.isEmpty)
        if let target { target.describe(text.isEmpty ? meaning(of: target) : text) }
    }

    /// The meaning of a widget: the text for the image of a choice, or the label of the first or last step of a scale; empty
    /// for others.
    private func meaning(of stop: Widget) -> String {
        let stops = stops
        if case .choice(let choices) = field.input,
            let shown = zip(stops, choices.choices).first(where: { $0.0 === stop })?.1.imageText
        {
            return shown
        }
        if stop === stops.first { return field.ends.low ?? "" }
        return stop === stops.last ? field.ends.high ?? "" : ""
    }

    /// Shows the state of a submitted answer, and locks it if it cannot be changed.
    func set(sentState text: String?, isLocked: Bool) {
        sentState.isVisible = text != nil
        sentState.text = text ?? ""
        switch controls {
        case .text(let area): area.isEditable = !isLocked
        case .radios(let buttons): for button in buttons { button.isSensitive = !isLocked }
        case .buttons(let buttons): for button in buttons { button.isSensitive = !isLocked }
        case .rows(let rows): for row in rows { row.isSensitive = !isLocked }
        case .slider(let slider): slider.isSensitive = !isLocked
        case .note: break
        }
    }
}
