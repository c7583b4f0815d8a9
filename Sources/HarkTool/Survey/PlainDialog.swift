import HarkAsking
import HarkWire

/// A survey asked line by line, for a pipe or a terminal without cursor control. Like the form it is based on, it does
/// no I/O itself.
struct PlainDialog {
    var form: SurveyForm
    private let glyphs: Glyphs
    /// The index of the current field on the page.
    var place = 0
    /// Whether the answer of the page was refused, so that the next line may retry it (forms).
    var isRetrying = false
    /// Set when nothing is left to ask (forms).
    var ending: AskEnding?

    init(_ form: SurveyForm, glyphs: Glyphs = .all) {
        self.form = form
        self.glyphs = glyphs
        if form.filling != nil { beginFilling() }
    }

    /// The text to print first.
    var opening: String {
        let heads = [
            form.title, form.message, form.asker.map { "Asked by \($0)" } ?? "", form.filling?.progress.text ?? "",
        ].filter { !$0.isEmpty }
        return heads.map { Self.visible($0) }.joined(separator: "\n") + "\n" + (ending == nil ? question : "")
    }

    /// The hint for an input that ends early.
    var wordAtTheEnd: String { form.filling == nil ? "It will be asked again." : "What was answered is kept." }

    /// Whether the current question of a survey may be left unanswered.
    var mayPassOver: Bool { form.filling == nil && !field.isRequired }

    var field: FormField { form.shownFields[place] }

    /// The current question, up to the place of the answer.
    var question: String {
        let image = field.image.map { Self.visible($0.line) + "\n" } ?? ""
        if field.isNote { return "\n\(Self.visible(field.prompt))\n\(image)" }
        let matrix = place == 0 ? form.matrixPrompt.map { Self.visible($0) + "\n" } ?? "" : ""
        let asked = matrix + (field.prompt.isEmpty ? "" : Self.visible(field.prompt) + "\n") + image
        let prompt = head + asked + hint + keptAnswer
        guard case .choice(let choices) = field.input, !choices.areBareNumbers else { return "\n\(prompt)\(request)" }
        let width = choices.numbers.map { String($0).count }.max() ?? 1
        let rows = choices.choices.indices.map { place in
            let choice = choices.choices[place]
            let number = String(choices.numbers[place])
            let fill = String(repeating: " ", count: width - number.count)
            let emoji = glyphs.isASCII ? nil : choice.emoji.map { VisibleText.make($0) + " " }
            return "  \(fill)\(number)) \(emoji ?? "")\(VisibleText.make(choice.words))\n"
        }
        return "\n\(prompt)\(rows.joined())\(request)"
    }

    /// The prompt without the choices.
    var request: String {
        let never = form.mayBeMuted ? ", never: not again" : ""
        let keys = form.filling == nil ? " (d dismisses\(never)): " : " (\(fillingKeys)q leaves): "
        return switch field.input {
        case .note: ""
        case .slider(let scale):
            "A number from \(DecimalText.text(scale.min)) to \(DecimalText.text(scale.max))\(passing)\(keys)"
        case .text(let text) where text.rules.number != nil:
            "A number\(text.counter.isEmpty ? "" : " (\(VisibleText.make(text.counter)))")\(passing): "
        case .text(let text) where text.rules.moment != nil:
            "A \(text.rules.moment?.type == .time ? "time" : "date") (\(VisibleText.make(text.counter)))\(passing): "
        case .choice(let choices) where choices.areBareNumbers:
            "A number from \(choices.numbers.min() ?? 0) to \(choices.numbers.max() ?? 0)\(passing)\(keys)"
        case .choice(let choices):
            (choices.isRanked
                ? "Your order, such as 2,1" : choices.isMultiple ? "Your choices, such as 1,2" : "Your choice")
                + "\(passing)\(keys)"
        case .text(let text):
            "Your answer, one line"
                + (text.rules.maxLength.map { ", at most \(Plural.count($0, "character"))" } ?? "") + "\(passing): "
        }
    }

    private var passing: String { field.isRequired ? "" : "; an empty line passes it over" }

    /// Takes a line of input. Returns the text to print and the action to carry out.
    mutating func take(_ line: String) -> (text: String, action: SurveyForm.Action?) {
        let line = TextField(rules: .init(), editor: TextEditor(line)).trimmed
        if form.filling != nil { return takeFilling(line) }
        if isClosing(line) {
            if line.lowercased() == "d" { return ("", .dismiss) }
            if form.mayBeMuted, line.lowercased() == "never" { return ("", .mute) }
        }
        if let problem = put(line) { return (problem + "\n" + request, nil) }
        guard place + 1 == form.page.count else {
            place += 1
            return (question, nil)
        }
        return ("", form.goForward())
    }

    /// Puts a line into the current field. Returns the problem if it is not a valid answer.
    mutating func put(_ line: String) -> String? {
        let index = form.page[place]
        switch form.fields[index].input {
        case .choice(var choices):
            guard let places = choices.places(in: line) else {
                return "'\(VisibleText.make(line))' is none of the answers."
            }
            choices.choose(only: places)
            form.fields[index].input = .choice(choices)
        case .text(var text):
            text.editor = TextEditor(line)
            form.fields[index].input = .text(text)
        case .slider(var scale):
            if let problem = scale.take(line) { return problem }
            form.fields[index].input = .slider(scale)
        case .note: return nil
        }
        return field.problem
    }

    /// Whether a line can be a word that closes the survey, as it is no answer.
    private func isClosing(_ line: String) -> Bool {
        switch field.input {
        case .choice(let choices): choices.places(in: line) == nil
        case .slider: true
        case .text, .note: false
        }
    }

    /// Passes a note, which nobody answers. Returns the text to print and the action, if the current question is one.
    mutating func passNote() -> (text: String, action: SurveyForm.Action?)? {
        guard ending == nil, field.isNote else { return nil }
        return form.filling == nil ? ("", form.goForward()) : (ask(after: true), nil)
    }

    /// Keeps the answer of this page. Returns the next question, or `.submit` if there is none.
    mutating func advance(
        along route: [String]?, _ questions: [SurveyQuestion] = []
    ) -> (text: String, action: SurveyForm.Action?) {
        let action = form.advance(along: route, questions)
        if form.filling != nil { return (ask(), nil) }
        guard action == nil else { return ("", action) }
        place = 0
        let text = question
        let (more, next) = passNote() ?? ("", nil)
        return (text + more, next)
    }

    /// Asks the page again after the daemon refused the answer.
    mutating func refuse(_ why: String) -> String {
        place = 0
        return VisibleText.make(why) + "\n" + question
    }

    static func visible(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { VisibleText.make(String($0)) }
            .joined(separator: "\n")
    }
}

extension ScaleField {
    /// Takes a line. Returns the problem if it is no number of the scale.
    fileprivate mutating func take(_ line: String) -> String? {
        if line.isEmpty {
            clear()
            return nil
        }
        switch DecimalText.read(line) {
        case .failure(let fault): return fault.sentence
        case .success(let number):
            if let problem = rules.problem(number) { return problem }
            restore(number.value)
            return nil
        }
    }
}

extension ChoiceField {
    /// Returns the indices of the choices that a line names, by number or label; nil if it names anything else.
    func places(in line: String) -> [Int]? {
        if line.isEmpty { return [] }
        if let place = place(of: line) { return [place] }
        guard isMultiple else { return nil }
        let words = line.split { $0 == "," || $0 == ";" }.map { String($0.drop { $0 == " " }) }
        let parts = words.count > 1 ? words : line.split(separator: " ").map(String.init)
        var places: [Int] = []
        for part in parts {
            guard let place = place(of: part) else { return nil }
            if !places.contains(place) { places.append(place) }
        }
        return places
    }

    private func place(of word: String) -> Int? {
        let word = word.lowercased()
        return choices.firstIndex { $0.label.lowercased() == word }
            ?? choices.firstIndex { $0.key.map { String($0) == word } ?? false }
            ?? Int(word).flatMap { numbers.firstIndex(of: $0) }
            ?? choices.firstIndex { $0.value.stringValue?.lowercased() == word }
    }
}
