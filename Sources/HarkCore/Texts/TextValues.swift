internal import HarkWire

/// The values for the texts of one showing.
struct TextValues {
    /// The values of event, session, counters and flags, as they were when the survey was scheduled.
    var given = Properties.none
    var answers = Answers()
    /// Has the labels of answers.
    var questionnaire = Questionnaire([])
    var user: String?
    var form = LocaleForm(nil)
    /// How far the person's clock is ahead of UTC.
    var offsetMinutes: Int64 = 0
    /// Whether every placeholder gets its fallback.
    var isHidden = false
    /// Whether values of another direction are separated from their surroundings.
    var isolates = false

    /// The text for a placeholder without value and fallback.
    static let nothing = "…"

    /// A text with its values. One that cannot be parsed stays as it is.
    func fill(_ text: String) -> String {
        guard PipedText.isPiped(text), let piped = try? PipedText(text) else { return text }
        let surroundings = isolates ? piped.parts.reduce(into: "") { if case .text(let text) = $1 { $0 += text } } : ""
        return piped.parts.reduce(into: "") { result, part in
            switch part {
            case .text(let text): result += text
            case .place(let place):
                guard let value = self.text(at: place) else {
                    result += place.fallback ?? TextValues.nothing
                    return
                }
                result += isolates ? InsertedText.isolated(value, in: surroundings) : value
            }
        }
    }

    private func text(at place: PipedText.Place) -> String? {
        guard !isHidden else { return nil }
        if case .answer(let id) = place.name, place.format == .plain {
            return label(of: id).flatMap(InsertedText.harmless)
        }
        return value(of: place.name).flatMap { place.format.text($0, form, offsetMinutes: offsetMinutes) }
            .flatMap(InsertedText.harmless)
    }

    /// - Returns: nil when there is none.
    func value(of name: ValueName) -> JSONValue? {
        switch name {
        case .user: user.map(JSONValue.string)
        case .answer(let id): answers[id]?.value
        case .event, .session, .counter, .flag: given[name.text].map { JSONValue($0) }
        }
    }

    /// The answer in the words that the person saw.
    private func label(of id: String) -> String? {
        guard let answer = answers[id] else { return nil }
        // The label of an earlier question may have placeholders of its own, but not for answers: else labels of labels would
        // grow without end.
        var values = self
        values.answers = Answers()
        values.isolates = false
        let choices = questionnaire.question(id)?.kind.choices ?? []
        func label(_ value: String) -> String {
            values.fill(choices.first { $0.value.hasSameBytes(as: value) }?.label ?? value)
        }
        switch answer {
        case .choice(let value): return label(value)
        case .choices(let values): return form.list(values.prefix(20).map(label))
        case .text(let text): return text
        case .number(let number): return ValueFormat.plain.text(number.value, form, offsetMinutes: 0)
        }
    }
}
