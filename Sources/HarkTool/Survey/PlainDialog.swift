import HarkAsking
import HarkWire

/// A survey asked line by line, where there is no terminal that can show a screen: a pipe, or a terminal without a
/// cursor. As the form it stands on, it does nothing itself.
struct PlainDialog {
    var form: SurveyForm
    private let glyphs: Glyphs
    /// The field of the page that is being asked.
    var place = 0
    /// The answer of the page was not taken, and the next line may try it again (forms).
    var isRetrying = false
    /// Nothing is left to ask (forms).
    var ending: AskEnding?

    init(_ form: SurveyForm, glyphs: Glyphs = .all) {
        self.form = form
        self.glyphs = glyphs
        if form.filling != nil { beginFilling() }
    }

    /// What is printed first.
    var opening: String {
        let heads = [form.title, form.message, form.filling?.progress.text ?? ""].filter { !$0.isEmpty }
        return heads.map { Self.visible($0) }.joined(separator: "\n") + "\n" + (ending == nil ? question : "")
    }

    /// What becomes of it when the input ends early.
    var wordAtTheEnd: String { form.filling == nil ? "It will be asked again." : "What was answered is kept." }

    /// Whether the question of a survey that is asked may be left without an answer.
    var mayPassOver: Bool { form.filling == nil && !field.isRequired }

    var field: FormField { form.shownFields[place] }

    /// The question that is being asked, up to where the answer goes.
    var question: String {
        let prompt = head + (field.prompt.isEmpty ? "" : Self.visible(field.prompt) + "\n") + hint + keptAnswer
        guard case .choice(let choices) = field.input, !choices.areBareNumbers else { return "\n\(prompt)\(request)" }
        let width = choices.numbers.map { String($0).count }.max() ?? 1
        let rows = choices.choices.indices.map { place in
            let choice = choices.choices[place]
            let number = String(choices.numbers[place])
            let fill = String(repeating: " ", count: width - number.count)
            let emoji = glyphs.isASCII ? nil : choice.emoji.map { VisibleText.make($0) + " " }
            return "  \(fill)\(number)) \(emoji ?? "")\(VisibleText.make(choice.label))\n"
        }
        return "\n\(prompt)\(rows.joined())\(request)"
    }

    /// What is asked for, without the choices.
    var request: String {
        let never = form.mayBeMuted ? ", never: not again" : ""
        let keys = form.filling == nil ? " (d dismisses\(never)): " : " (\(fillingKeys)q leaves): "
        return switch field.input {
        case .choice(let choices) where choices.areBareNumbers:
            "A number from \(choices.numbers.min() ?? 0) to \(choices.numbers.max() ?? 0)\(passing)\(keys)"
        case .choice(let choices):
            (choices.isMultiple ? "Your choices, such as 1,2" : "Your choice") + "\(passing)\(keys)"
        case .text(let text):
            "Your answer, one line"
                + (text.rules.maxLength.map { ", at most \(Plural.count($0, "character"))" } ?? "") + "\(passing): "
        }
    }

    private var passing: String { field.isRequired ? "" : "; an empty line passes it over" }

    /// Takes a line that was answered: what is to be printed, and what is to be done.
    mutating func take(_ line: String) -> (text: String, action: SurveyForm.Action?) {
        let line = TextField(rules: .init(), editor: TextEditor(line)).trimmed
        if form.filling != nil { return takeFilling(line) }
        if case .choice(let choices) = field.input, choices.places(in: line) == nil {
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

    /// Puts a line into the field that is being asked; why it is no answer, if it is none.
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
        }
        return field.problem
    }

    /// The answer of this page is kept; the next question, or `.submit` when there is none.
    mutating func advance(along route: [String]?) -> (text: String, action: SurveyForm.Action?) {
        let action = form.advance(along: route)
        if form.filling != nil { return (ask(), nil) }
        guard action == nil else { return ("", action) }
        place = 0
        return (question, nil)
    }

    /// The daemon did not take the answer: asks the page anew.
    mutating func refuse(_ why: String) -> String {
        place = 0
        return VisibleText.make(why) + "\n" + question
    }

    static func visible(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { VisibleText.make(String($0)) }
            .joined(separator: "\n")
    }
}

extension ChoiceField {
    /// The places that a line names, by number or label; nil if it names something else.
    func places(in line: String) -> Set<Int>? {
        if line.isEmpty { return [] }
        if let place = place(of: line) { return [place] }
        guard isMultiple else { return nil }
        let words = line.split { $0 == "," || $0 == ";" }.map { String($0.drop { $0 == " " }) }
        let parts = words.count > 1 ? words : line.split(separator: " ").map(String.init)
        var places: Set<Int> = []
        for part in parts {
            guard let place = place(of: part) else { return nil }
            places.insert(place)
        }
        return places
    }

    private func place(of word: String) -> Int? {
        let word = word.lowercased()
        return choices.firstIndex { $0.label.lowercased() == word }
            ?? Int(word).flatMap { numbers.firstIndex(of: $0) }
            ?? choices.firstIndex { $0.value.stringValue?.lowercased() == word }
    }
}
