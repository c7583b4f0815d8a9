package import HarkClient
package import HarkWire

/// A question with its current answer.
package struct FormField: Sendable, Equatable {
    package enum Input: Sendable, Equatable {
        case choice(ChoiceField)
        case text(TextField)
        case slider(ScaleField)
        case note
    }

    package let id: String
    package let prompt: String
    package let isRequired: Bool
    /// The question whose option "Other" this text explains; nil for all other fields.
    package let of: String?
    /// The matrix to which this row belongs; nil for all other fields.
    package let matrix: SurveyQuestion.Matrix?
    package let image: QuestionImage?
    /// The words at the ends of a scale, and the look of its steps.
    package let ends: SurveyQuestion.Ends
    package let shape: ScaleShape?
    package var input: Input

    package init(_ question: SurveyQuestion) {
        id = question.id
        prompt = question.prompt
        isRequired = question.isRequired
        of = question.of
        matrix = question.matrix
        image = question.image
        ends = question.ends
        shape = question.shape
        switch question.kind {
        case .choices(let choices, let isMultiple, let count):
            input = .choice(
                ChoiceField(choices, isMultiple: isMultiple, count: count, isRanked: question.isRanking))
        case .text(let rules): input = .text(TextField(rules: rules))
        case .slider(let scale): input = .slider(scale)
        case .note: input = .note
        }
    }

    /// The value to send; nil if there is no answer.
    package var value: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.value
        case .slider(let field): field.number?.value
        case .note: nil
        }
    }

    /// Returns the values to send for some questions, by id; null if there is no answer.
    package static func answers(_ fields: [FormField]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.id, $0.value ?? .null) }))
    }

    /// The violated rule; nil if the answer can be sent.
    package var problem: String? {
        switch input {
        case .choice(let field): field.problem(isRequired: isRequired)
        case .text(let field): field.problem(isRequired: isRequired)
        case .slider(let field): field.problem(isRequired: isRequired)
        case .note: nil
        }
    }

    /// The hint above a multiple choice.
    package var choiceHint: String? {
        guard case .choice(let field) = input, field.isMultiple else { return nil }
        let (least, most) = (field.count.lowerBound, field.count.upperBound)
        if field.isRanked {
            return most >= field.choices.count
                ? Words.say("Choose all in your order, the best first")
                : Words.say("Choose {number} in your order, the best first", ["number": String(most)])
        }
        if most >= field.choices.count {
            return least > 1
                ? Words.say("Select all that apply, at least {least}", ["least": String(least)])
                : Words.say("Select all that apply")
        }
        if least == most { return Words.say("Select {number}", ["number": String(least)]) }
        return Words.say(
            "Select all that apply, {least} to {most}", ["least": String(least), "most": String(most)])
    }

    package var takesOther: Bool {
        if case .choice(let field) = input { field.takesOther } else { false }
    }

    package var isNote: Bool { input == .note }

    /// The words at points of a scale; nil if there are none.
    package var legend: String? {
        if case .slider(let scale) = input { scale.legend } else { nil }
    }

    package var isText: Bool {
        if case .text = input { true } else { false }
    }

    /// The current input, valid or not; a text is kept untrimmed.
    package var draft: JSONValue? {
        switch input {
        case .choice(let field): field.value
        case .text(let field): field.editor.text.isEmpty ? nil : .string(field.editor.text)
        case .slider, .note: value
        }
    }

    /// Restores a kept answer.
    package mutating func restore(_ answer: JSONText) {
        if let value = answer.answer { restore(value) }
    }

    /// Restores a kept value.
    package mutating func restore(_ value: JSONValue) {
        switch input {
        case .choice(var field):
            field.restore(value.arrayValue ?? [value])
            input = .choice(field)
        case .text(var field):
            let number = ExactNumber(value).map { DecimalText.text($0) }
            field.editor = TextEditor(value.stringValue ?? number ?? "")
            input = .text(field)
        case .slider(var field):
            field.restore(value)
            input = .slider(field)
        case .note: break
        }
    }
}

extension FormField {
    /// The texts of a question; they differ if the daemon has changed a text.
    package var texts: [String] {
        let own: [String?] =
            switch input {
            case .choice(let field): field.choices.map(\.label)
            case .text(let field): [field.rules.placeholder, field.rules.patternMessage]
            case .slider(let field): field.labels.map(\.text)
            case .note: []
            }
        return ([matrix?.prompt, prompt, ends.low, ends.high] + own).map { $0 ?? "" }
    }

    /// Takes the texts that the question has now. The answer stays.
    mutating func retell(_ question: SurveyQuestion) {
        var told = FormField(question)
        guard told.texts != texts else { return }
        if let draft { told.restore(draft) }
        self = told
    }
}

extension JSONText {
    /// The answer in the form's representation.
    package var answer: JSONValue? {
        if isArray { return .array(elements.compactMap(\.answer)) }
        return string.map(JSONValue.string) ?? int.map(JSONValue.int) ?? double.map(JSONValue.double)
    }
}
