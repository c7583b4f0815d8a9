import HarkAsking
import HarkScreen
import HarkWire

/// Makes the widgets that suit a question.
struct ControlMaker {
    private let field: FormField
    private let name: String
    private let measures: Measures

    /// The longest label below an emoji.
    private static let captionLength = 12
    private static let mostFaces = 7
    private static let mostNumbers = 11

    init(_ field: FormField, _ name: String, _ measures: Measures) {
        self.field = field
        self.name = name
        self.measures = measures
    }

    func area(_ text: TextField) -> TextArea {
        let words = text.rules.placeholder ?? Words.say("Write here")
        let name = field.prompt.isEmpty ? text.rules.placeholder ?? name : field.prompt
        return TextArea(name: name, placeholder: words, height: measures.textHeight)
    }

    // MARK: Rows

    /// Makes a row of emoji or numbers; nil if the choices have none, or do not fit.
    func faces(_ choices: ChoiceField) -> (buttons: [RadioButton], box: Widget)? {
        var first: RadioButton?
        guard let perRow = facesPerRow(choices) else { return nil }
        let areBare = standAsNumbers(choices)
        let buttons = choices.choices.map { choice in
            let button = RadioButton(face(of: choice, areBare), in: first)
                .styled("flat", style(of: choice, areBare)).named(choice.label)
            first = first ?? button
            return button
        }
        return (buttons, rows(of: buttons, perRow))
    }

    private func facesPerRow(_ choices: ChoiceField) -> Int? {
        let all = choices.choices
        if choices.isMultiple || all.count < 2 { return nil }
        if standAsNumbers(choices) { return measures.numbersPerRow }
        let areFaces = all.allSatisfy { $0.emoji != nil && $0.label.count <= Self.captionLength }
        return areFaces && all.count <= Self.mostFaces && measures.hasRoomForFaces ? all.count : nil
    }

    /// Whether numbers are shown without emoji: on a scale to 10, two neighbours would have the same emoji, and there
    /// is no room for ten.
    private func standAsNumbers(_ choices: ChoiceField) -> Bool {
        let all = choices.choices
        return choices.areNumbers && all.count <= Self.mostNumbers
            && (all.count > Self.mostFaces || all.allSatisfy { $0.emoji == nil })
    }

    private func style(of choice: SurveyQuestion.Choice, _ areBare: Bool) -> String {
        areBare || choice.emoji == nil ? "hark-number" : "hark-face"
    }

    private func face(of choice: SurveyQuestion.Choice, _ areBare: Bool) -> Widget {
        guard let emoji = choice.emoji, !areBare else {
            return Label(choice.label, .decoration).styled("heading", "numeric")
        }
        let picture = Label(emoji, .decoration).styled("hark-emoji")
        if choice.label == emoji { return picture }
        return VerticalBox(
            spacing: 4, picture, Label(choice.label, .decoration, wraps: true).centered().styled("hark-caption"))
    }

    private func rows(of buttons: [Button], _ perRow: Int) -> Widget {
        let box = VerticalBox(spacing: 6).named(name)
        var row: HorizontalBox?
        for (place, button) in buttons.enumerated() {
            if place % perRow == 0 {
                let next = HorizontalBox(spacing: 6, sameWidth: true, isGroup: true).named(name)
                box.append(next)
                row = next
            }
            row?.append(button)
        }
        return box
    }

    // MARK: Columns

    func rows(_ choices: ChoiceField) -> [CheckRow] {
        var first: CheckRow?
        return choices.choices.map { choice in
            let title = choice.emoji.map { "\($0)  \(choice.label)" } ?? choice.label
            let isRadio = !choices.isMultiple
            let row = CheckRow(title, name: choice.label, isRadio: isRadio, in: isRadio ? first : nil)
            first = first ?? row
            return row
        }
    }

    /// Makes buttons that answer at once.
    func buttons(_ choices: ChoiceField) -> (buttons: [Button], box: Widget) {
        if let perRow = facesPerRow(choices) {
            let areBare = standAsNumbers(choices)
            let buttons = choices.choices.map { choice in
                Button(face(of: choice, areBare)).styled("flat", style(of: choice, areBare)).named(choice.label)
            }
            return (buttons, rows(of: buttons, perRow))
        }
        let column = VerticalBox(spacing: measures.scaled(8))
        let buttons = choices.choices.map { choice in
            let title = choice.emoji.map { "\($0)  \(choice.label)" } ?? choice.label
            let face = Label(title, .decoration, wraps: true).centered()
            let button = Button(face).styled("hark-answer").named(choice.label)
            column.append(button)
            return button
        }
        return (buttons, column)
    }
}
