package import HarkWire

/// Data about a user, derived from the answers to one form.
package struct Profile: Sendable, Equatable {
    package let form: String
    package let completedAt: Timestamp?
    package let answers: Answers
    /// The derived values, in the order of the rules.
    package let values: [Value]
    /// nil before the form is completed, or if the rules have no summary.
    package let summary: String?

    package struct Value: Sendable, Equatable {
        package let key: String
        /// null when no rule fits the answers.
        package let value: JSONValue
    }

    /// - Parameter state: the user's answers; nil for none.
    init(_ rules: ProfileRules, _ form: Form?, _ state: FormState?, _ draw: DailyDraw) {
        let answers = state.map { form?.answers(in: $0) ?? $0.allAnswers } ?? Answers()
        let values = rules.values.map { Value(key: $0.key, value: $0.rule.value(answers, draw) ?? .null) }
        let isCompleted = state.map { form?.isCompleted($0) ?? ($0.completedAt != nil) } ?? false
        self.form = rules.form
        completedAt = isCompleted ? state?.completedAt : nil
        self.answers = answers
        self.values = values
        summary =
            isCompleted ? rules.summary?.text { key in values.first { $0.key.hasSameBytes(as: key) }?.value } : nil
    }

    /// The names of all values that can be read.
    package var keys: [String] { values.map(\.key) + ProfileRules.ownKeys }

    package subscript(key: String) -> JSONValue? {
        switch key {
        case "completed": .bool(completedAt != nil)
        case "completedAt": completedAt.map { .string("\($0)") } ?? .null
        case "answers": .object(JSONObject(answers.members.map { ($0.id, $0.answer.value) }))
        default: values.first { $0.key.hasSameBytes(as: key) }?.value
        }
    }

    /// Writes the profile, as in replies.
    package func info(of user: UserKey) -> ProfileInfo {
        var info = ProfileInfo()
        info.userId = user.userId
        info.formId = form
        info.completed = completedAt != nil
        info.completedAt = completedAt
        info.values = AnyJSON(.object(JSONObject(values.map { ($0.key, $0.value) })))
        info.answers = AnyJSON(answers)
        return info
    }
}
