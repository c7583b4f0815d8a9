package import HarkWire

/// Answers that a user has begun but not submitted, and the question on screen.
///
/// A draft is shown only to the same user. It need not satisfy the questions' rules: a text may still be too short.
package struct FormDraft: Sendable, Equatable {
    /// The question at which the user left.
    package var page: String?
    /// Values by question: a text, an option, a list of options, or a number.
    package var answers: [ExactName: JSONValue] = [:]

    /// The greatest packed size, in bytes.
    static let maxBytes = 65_536

    package init(page: String? = nil, answers: JSONObject = [:]) {
        self.page = page
        for member in answers { self.answers[member.key] = member.value }
    }

    package var isEmpty: Bool { page == nil && answers.isEmpty }

    /// The binary form in the store.
    package var packed: [UInt8] {
        JSONValue.object(JSONObject([("page", page.map(JSONValue.string) ?? .null), ("answers", document)])).packed
    }

    /// - Returns: nil when the bytes hold no draft.
    package init?(packed bytes: [UInt8]) {
        guard let object = JSONValue(packed: bytes)?.objectValue, let answers = object["answers"]?.objectValue else {
            return nil
        }
        self.init(page: object["page"]?.stringValue, answers: answers)
    }

    /// The answers, including those to removed questions.
    package var document: JSONValue {
        .object(JSONObject(answers.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }))
    }

    /// Writes the draft for the questions that exist.
    func write(to json: inout JSONWriter, of form: Form) {
        json.beginObject()
        json.key("page")
        if let page, form.question(page) != nil { json.string(page) } else { json.null() }
        json.key("answers")
        json.beginObject()
        for question in form.questionnaire.questions {
            guard let value = answers[question.id] else { continue }
            json.key(question.id)
            json.value(value)
        }
        json.endObject()
        json.endObject()
    }

    /// Whether a value can be a draft of an answer.
    static func takes(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .int: true
        case .array(let elements): elements.allSatisfy { $0.stringValue != nil }
        case .null, .bool, .double, .object: false
        }
    }
}
