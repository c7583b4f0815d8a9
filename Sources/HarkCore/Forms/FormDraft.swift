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

    /// The draft for the questions that exist.
    func info(of form: Form) -> DraftInfo {
        var info = DraftInfo()
        info.page = page.flatMap { form.question($0) == nil ? nil : $0 }
        let told = form.questionnaire.questions.compactMap { question in
            answers[question.id].map { (question.id, $0) }
        }
        info.answers = AnyJSON(.object(JSONObject(told)))
        return info
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
