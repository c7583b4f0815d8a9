package import HarkWire

/// What somebody has begun and not given as an answer yet, and which question was before their eyes.
///
/// It is kept for whoever shows the form to the same user next, and told to nobody else. It need not keep the rules of
/// the questions: a text may still be too short.
package struct FormDraft: Sendable, Equatable {
    /// The question where its user left.
    package var page: String?
    /// By question: a text, an option, a list of options, or a number.
    package var answers: [ExactName: JSONValue] = [:]

    /// As it is kept.
    static let maxBytes = 65_536

    package init(page: String? = nil, answers: JSONObject = [:]) {
        self.page = page
        for member in answers { self.answers[member.key] = member.value }
    }

    package var isEmpty: Bool { page == nil && answers.isEmpty }

    /// As the store keeps it.
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

    /// The answers, also to questions that are gone.
    package var document: JSONValue {
        .object(JSONObject(answers.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }))
    }

    /// Writes what of it is about questions that there are.
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

    /// Whether a value can be what somebody has begun to answer.
    static func takes(_ value: JSONValue) -> Bool {
        switch value {
        case .string, .int: true
        case .array(let elements): elements.allSatisfy { $0.stringValue != nil }
        case .null, .bool, .double, .object: false
        }
    }
}
