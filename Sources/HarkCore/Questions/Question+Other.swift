internal import HarkWire

/// The option "Other", with a line in which the person explains it.
///
/// The line is a question of its own, on the page of its question, which is asked only if the option was chosen.
/// So its answer is a text like any other, separate from the options.
extension Question {
    /// The recorded value of the option.
    static let otherValue = "other"
    /// The longest text, in characters.
    static let otherLength = 250

    /// The question for the text; nil without the option.
    var otherText: Question? {
        guard let other = kind.choices?.first(where: \.isOther) else { return nil }
        var question = Question(
            id: Question.otherId(of: id), prompt: other.label, kind: .text(TextField(maxLength: Question.otherLength)))
        question.of = id
        return question
    }

    static func otherId(of id: String) -> String { "\(id).\(otherValue)" }
}

extension [Question] {
    /// The questions, each followed by the question for its text of "Other".
    var withOthers: [Question] { flatMap { question in [question] + (question.otherText.map { [$0] } ?? []) } }
}

extension Answer {
    /// Whether the option "Other" is chosen.
    var hasOther: Bool {
        switch self {
        case .choice(let value): value.hasSameBytes(as: Question.otherValue)
        case .choices(let values): values.contains { $0.hasSameBytes(as: Question.otherValue) }
        case .text, .number: false
        }
    }
}
