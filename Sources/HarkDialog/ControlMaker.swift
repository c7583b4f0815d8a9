import HarkAsking
import HarkScreen
import HarkWire

/// Makes the widgets that suit a question.
struct ControlMaker {
    private let field: FormField
    private let name: String
    private let measures: Measures

    /// The longest label below an emoji, in characters.
    private static let captionLength = 28
    private static let mostFaces = 7
    private static let mostNumbers = 11
    private static let mostWithoutSearch = 12
    private static let mostCards = 8

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

    /// A line for a number, a date or a time.
    func line(_ text: TextField) -> TextInput {
        let name = field.prompt.isEmpty ? name : field.prompt
        let placeholder = text.rules.placeholder ?? (field.of == nil ? "" : Words.say("Write here"))
        if text.rules.moment?.type == .date {
            return DateLine(name: name, placeholder: placeholder, choose: Words.say("Choose a date"))
        }
        return TextLine(name: name, placeholder: placeholder, isNumber: text.rules.number != nil)
    }

    func slider(_ scale: ScaleField) -> Slider {
        let slider = Slider(name: name, steps: scale.steps, page: scale.page)
        for label in scale.labels {
            slider.mark(label.number.steps(of: scale.step, from: scale.min), label.text)
        }
        return slider
    }

    // MARK: Images

    /// The image of the question, or what it shows if the file cannot be shown.
    func image(_ image: QuestionImage) -> Widget {
        let room = Picture.Room(
            width: measures.width, height: min(measures.scaled(220), measures.screenHeight / 3))
        return picture(image, in: room, alternative: image.alternative)
            ?? Label(image.alternative, wraps: true).centered().styled("dim-label")
    }

    private func picture(_ image: QuestionImage?, in room: Picture.Room, alternative: String = "") -> Widget? {
        image.flatMap {
            PictureFile.open(
                $0.file, "the image", alternative: alternative, largest: PictureFile.largestInWindow, room: room)
        }?.clipped().styled("hark-image").fitted(in: room, scale: measures.scale)
    }

    /// Whether the choices are cards with an image each.
    private func areCards(_ choices: ChoiceField) -> Bool {
        !choices.isMultiple && (2...Self.mostCards).contains(choices.choices.count)
            && choices.choices.allSatisfy { $0.image != nil }
    }

    /// An image with the label below it.
    private func card(_ choice: SurveyQuestion.Choice) -> Widget {
        let label = Label(title(choice), .decoration, wraps: true).wholeWords().centered().styled("hark-caption")
        let room = Picture.Room(width: measures.scaled(180), height: measures.scaled(110))
        guard let picture = picture(choice.image, in: room) else { return label }
        return VerticalBox(spacing: measures.scaled(6), picture.expanding(y: true), label)
            .sized(width: measures.scaled(96))
    }

    /// The image at the end of a row.
    private func thumbnail(_ choice: SurveyQuestion.Choice) -> Widget? {
        picture(choice.image, in: Picture.Room(width: measures.scaled(72), height: measures.scaled(54)))
    }

    /// The text of a choice for screen readers. In a matrix it includes the row.
    private func told(_ choice: SurveyQuestion.Choice) -> String {
        field.matrix == nil ? choice.label : "\(field.prompt): \(choice.label)"
    }

    private func title(_ choice: SurveyQuestion.Choice) -> String {
        choice.emoji.map { "\($0)  \(choice.label)" } ?? choice.label
    }

    // MARK: Rows

    /// Makes a row of emoji or numbers; nil if the choices have none, or do not fit.
    func faces(_ choices: ChoiceField) -> (buttons: [RadioButton], box: Widget)? {
        var first: RadioButton?
        guard areFaces(choices) else { return nil }
        let areBare = standAsNumbers(choices)
        let buttons = choices.choices.map { choice in
            let button = RadioButton(face(of: choice, areBare), in: first)
                .styled("flat", style(of: choice, areBare), tone(of: choice)).named(told(choice))
            first = first ?? button
            return button
        }
        return (buttons, cells(of: buttons))
    }

    /// The words at the ends of a scale, below it; nil if there are none.
    var ends: Widget? {
        guard field.ends.low != nil || field.ends.high != nil else { return nil }
        return HorizontalBox(
            spacing: 12, sameWidth: true,
            Label(field.ends.low ?? "", .decoration, wraps: true).leading().styled("caption", "hark-ends"),
            Label(field.ends.high ?? "", .decoration, wraps: true).trailing().styled("caption", "hark-ends"))
    }

    /// Whether the choices are cells rather than rows.
    private func areFaces(_ choices: ChoiceField) -> Bool {
        let all = choices.choices
        if choices.isMultiple || all.count < 2 { return false }
        if field.matrix != nil, all.count <= Self.mostFaces, all.allSatisfy({ $0.label.count <= Self.captionLength }) {
            return true
        }
        if standAsNumbers(choices) || isPair(choices) || areCards(choices) { return true }
        return all.count <= Self.mostFaces
            && all.allSatisfy { $0.emoji != nil && $0.label.count <= Self.captionLength }
    }

    /// Whether it is a question with two answers that have keys of their own: yes and no, side by side.
    private func isPair(_ choices: ChoiceField) -> Bool {
        choices.choices.count == 2
            && choices.choices.allSatisfy { $0.key != nil && $0.label.count <= Self.captionLength }
    }

    /// Whether numbers are shown without emoji: on a scale to 10, two neighbours would have the same emoji, and there
    /// is no room for ten.
    private func standAsNumbers(_ choices: ChoiceField) -> Bool {
        let all = choices.choices
        return choices.areNumbers && all.count <= Self.mostNumbers
            && (all.count > Self.mostFaces || all.allSatisfy { $0.emoji == nil })
    }

    private func style(of choice: SurveyQuestion.Choice, _ areBare: Bool) -> String {
        areBare || choice.emoji == nil && choice.image == nil ? "hark-number" : "hark-face"
    }

    /// The class of a face's colour, from 0 (the worst) to 4; a class without a meaning for everything else.
    private func tone(of choice: SurveyQuestion.Choice) -> String {
        guard measures.hasColors, let emoji = choice.emoji else { return "hark-plain" }
        let tone = ["😞": 0, "👎": 0, "😐": 1, "🙂": 2, "😊": 3, "🤩": 4, "👍": 4][emoji]
        return tone.map { "hark-tone-\($0)" } ?? "hark-plain"
    }

    private func face(of choice: SurveyQuestion.Choice, _ areBare: Bool) -> Widget {
        if field.shape == .stars, !areBare { return star(choice) }
        if choice.image != nil, !areBare { return card(choice) }
        if field.matrix != nil, choice.emoji == nil {
            return Label(choice.label, .decoration, wraps: true).wholeWords().centered().styled("hark-caption")
        }
        guard let emoji = choice.emoji, !areBare else {
            return Label(choice.label, .decoration).styled("heading", "numeric")
        }
        let picture = Label(emoji, .decoration).styled("hark-emoji")
        if choice.label == emoji { return picture }
        return VerticalBox(
            spacing: 4, picture,
            Label(choice.label, .decoration, wraps: true).wholeWords().centered().styled("hark-caption"))
    }

    /// A star with its label, which is no label if it is only the number.
    private func star(_ choice: SurveyQuestion.Choice) -> Widget {
        let picture = Label("★", .decoration).styled("hark-emoji", "hark-star")
        if choice.label.allSatisfy(\.isNumber) { return picture }
        return VerticalBox(
            spacing: 4, picture,
            Label(choice.label, .decoration, wraps: true).wholeWords().centered().styled("hark-caption"))
    }

    private func cells(of buttons: [Button]) -> Widget { Cells(gap: measures.scaled(8), buttons) }

    // MARK: Columns

    func rows(_ choices: ChoiceField) -> [CheckRow] {
        var first: CheckRow?
        return choices.choices.map { choice in
            let isRadio = !choices.isMultiple
            let row = CheckRow(title(choice), name: told(choice), isRadio: isRadio, in: isRadio ? first : nil)
            if let picture = thumbnail(choice) { row.add(end: picture.padded(top: 6, bottom: 6)) }
            first = first ?? row
            return row
        }
    }

    /// Makes a field above a long list that hides the rows which do not hold its text; nil for a short list.
    ///
    /// - Parameter choices: The choices of the rows. "Other" is never hidden: it is for people who find nothing.
    func search(_ rows: [CheckRow], of choices: ChoiceField, in column: VerticalBox) -> SearchField? {
        guard rows.count > Self.mostWithoutSearch else { return nil }
        let search = SearchField(name: Words.say("Search"))
        let none = Label(Words.say("Nothing matches."), .alert).styled("dim-label")
        none.isVisible = false
        search.onChange { wanted in
            var isFound = false
            for (row, choice) in zip(rows, choices.choices) {
                let isMatch = Self.holds(row.title, wanted)
                row.isVisible = isMatch || choice.isOther
                isFound = isFound || isMatch
            }
            none.isVisible = !isFound
        }
        column.append(search)
        column.append(none)
        return search
    }

    /// Whether every word of the search is in the text, in upper or lower case.
    private static func holds(_ text: String, _ wanted: String) -> Bool {
        let text = text.lowercased()
        return wanted.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }

    /// Makes buttons that answer at once.
    func buttons(_ choices: ChoiceField) -> (buttons: [Button], box: Widget) {
        if areFaces(choices) {
            let areBare = standAsNumbers(choices)
            let buttons = choices.choices.map { choice in
                Button(face(of: choice, areBare)).styled("flat", style(of: choice, areBare), tone(of: choice)).named(
                    choice.label)
            }
            return (buttons, cells(of: buttons))
        }
        let column = VerticalBox(spacing: measures.scaled(8))
        let buttons = choices.choices.map { choice in
            let label = Label(title(choice), .decoration, wraps: true).centered()
            let face = thumbnail(choice).map { HorizontalBox(spacing: 12, label.expanding(x: true), $0) } ?? label
            let button = Button(face).styled("hark-answer").named(choice.label)
            column.append(button)
            return button
        }
        return (buttons, column)
    }
}
