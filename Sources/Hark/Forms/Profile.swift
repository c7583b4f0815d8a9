internal import HarkClient
internal import HarkWire

/// Recommendations for a user, derived from the answers to a form by the rules of the forms' document.
public struct Profile: Sendable, Hashable {
    /// The user; nil if the profile is anonymous.
    public let userID: String?
    /// The form from which it is derived.
    public let formID: String
    /// Whether that form is completed.
    public let isCompleted: Bool
    /// ISO-8601, UTC, with milliseconds; nil until the form is completed.
    public let completedAt: String?
    /// The values derived by the rules, by key; `.null` if no rule fits.
    public let values: [String: Value]
    /// The answers, by question.
    public let answers: [String: Value]

    /// A value by key; nil if there is none, or no rule fits the answers.
    public subscript(key: String) -> Value? {
        guard let value = values[key], value != .null else { return nil }
        return value
    }

    init(_ told: ProfileInfo) {
        formID = told.formId
        userID = told.userId
        isCompleted = told.completed
        completedAt = told.completedAt?.description
        values = Value(told.values.json).object ?? [:]
        answers = Value(told.answers.json).object ?? [:]
    }
}
