/// What there is of a user beside sessions, events and log entries.
package enum UserItemKind: String, Sendable, CaseIterable {
    /// One showing of a survey, or of a program's question in one of the user's sessions.
    case showing
    /// What is remembered of how often a survey was shown.
    case asking
    /// When an event came that surveys' rules about a user's history ask for.
    case history
    /// The person's participation in a survey with a schedule.
    case participation
    case form
    case profile
    case watch
    case deadLetter
    /// What the log has beside events and entries, for destinations and hubs.
    case record
}
