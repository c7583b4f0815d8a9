import HarkClient
import HarkWire

/// A question with what has been answered to it so far.
struct FormField: Sendable, Equatable {
    enum Input: Sendable, Equatable {
        case choice(ChoiceField)
        case text(TextField)
    }

    let id: String
    let prompt: String
    let isRequired: Bool
    var input: Input

    init(_ question: SurveyQuestion) {
        id = question.id
        prompt = question.prompt
        isRequired = question.isRequired
        switch question.kind {
        case .choices(let choices, let isMultiple, let count):
            input = .choice(ChoiceField(choices, isMultiple: isMultiple, count: count))
        case .text(let rules): input = .text(TextField(rules: rules))
        }
    }

    /// What is sent; nil if nothing was answered.
    var value: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.value
        }
    }

    /// What is sent for some questions, by their ids; null where nothing was answered.
    static func answers(_ fields: [FormField]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.id, $0.value ?? .null) }))
    }

    /// The rule that the answer does not keep; nil if it can be sent.
    var problem: String? {
        switch input {
        case .choice(let field): field.problem(isRequired: isRequired)
        case .text(let field): field.problem(isRequired: isRequired)
        }
    }

    var isText: Bool {
        if case .text = input { true } else { false }
    }

    /// What is there, whether it keeps the rules or not; a text as it is written.
    var draft: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.editor.text.isEmpty ? nil : .string(field.editor.text)
        }
    }

    /// Takes an answer that was kept.
    mutating func restore(_ answer: JSONText) {
        if let value = answer.answer { restore(value) }
    }

    /// Takes what was kept.
    mutating func restore(_ value: JSONValue) {
        switch input {
        case .choice(var field):
            field.restore(value.arrayValue ?? [value])
            input = .choice(field)
        case .text(var field):
            field.editor = TextEditor(value.stringValue ?? "")
            input = .text(field)
        }
    }
}
