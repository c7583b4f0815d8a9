package import HarkClient
package import HarkWire

/// A question with what has been answered to it so far.
package struct FormField: Sendable, Equatable {
    package enum Input: Sendable, Equatable {
        case choice(ChoiceField)
        case text(TextField)
    }

    package let id: String
    package let prompt: String
    package let isRequired: Bool
    package var input: Input

    package init(_ question: SurveyQuestion) {
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
    package var value: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.value
        }
    }

    /// What is sent for some questions, by their ids; null where nothing was answered.
    package static func answers(_ fields: [FormField]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.id, $0.value ?? .null) }))
    }

    /// The rule that the answer does not keep; nil if it can be sent.
    package var problem: String? {
        switch input {
        case .choice(let field): field.problem(isRequired: isRequired)
        case .text(let field): field.problem(isRequired: isRequired)
        }
    }

    /// What is said above choices of which several can be taken.
    package var choiceHint: String? {
        guard case .choice(let field) = input, field.isMultiple else { return nil }
        let (least, most) = (field.count.lowerBound, field.count.upperBound)
        if most >= field.choices.count {
            return least > 1
                ? Words.say("Select all that apply, at least {least}", ["least": String(least)])
                : Words.say("Select all that apply")
        }
        if least == most { return Words.say("Select {number}", ["number": String(least)]) }
        return Words.say(
            "Select all that apply, {least} to {most}", ["least": String(least), "most": String(most)])
    }

    package var isText: Bool {
        if case .text = input { true } else { false }
    }

    /// What is there, whether it keeps the rules or not; a text as it is written.
    package var draft: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.editor.text.isEmpty ? nil : .string(field.editor.text)
        }
    }

    /// Takes an answer that was kept.
    package mutating func restore(_ answer: JSONText) {
        if let value = answer.answer { restore(value) }
    }

    /// Takes what was kept.
    package mutating func restore(_ value: JSONValue) {
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
