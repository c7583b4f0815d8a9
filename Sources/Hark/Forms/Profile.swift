internal import HarkClient

/// What is recommended to a user, made from the answers to a form by the rules of the forms' document.
public struct Profile: Sendable, Hashable {
    /// Whose it is; nil for nobody in particular.
    public let userID: String?
    /// The form it is made of.
    public let formID: String
    /// Whether that form is completed.
    public let isCompleted: Bool
    /// ISO-8601, UTC, with milliseconds; nil before.
    public let completedAt: String?
    /// What the rules make of the answers, by key; `.null` where nothing fits.
    public let values: [String: Value]
    /// What was answered, by question.
    public let answers: [String: Value]

    /// A value by its key; nil where there is none, or nothing fits the answers.
    public subscript(key: String) -> Value? {
        guard let value = values[key], value != .null else { return nil }
        return value
    }

    init?(_ json: JSONText?) {
        guard let json, let formID = json.member("formId")?.string else { return nil }
        self.formID = formID
        userID = json.member("userId")?.string
        isCompleted = json.member("completed")?.bool ?? false
        completedAt = json.member("completedAt")?.string
        values = json.member("values").map { Value($0) }?.object ?? [:]
        answers = json.member("answers").map { Value($0) }?.object ?? [:]
    }
}
