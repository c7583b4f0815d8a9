/// The state of a prompt.
package enum PromptState: String, Sendable, CaseIterable {
    /// It waits for an answer.
    case open
    case answered
    /// Everybody who was asked declined.
    case dismissed
    /// Nobody answered in time.
    case expired
    /// It was withdrawn, or the records it belongs to were cleared.
    case cancelled
}
