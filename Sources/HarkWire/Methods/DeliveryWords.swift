/// How a destination stands.
package enum DestinationState: String, Sendable, CaseIterable {
    case off, delivering, offline, open, suspended, waiting, idle
}

/// Why a destination did not get what it wanted.
package enum DropReason: String, Sendable, CaseIterable {
    /// Older than the lane keeps them.
    case age
    /// More were waiting than the lane keeps.
    case overflow
    /// The destination does not keep what fails.
    case notKept
    /// Tried so often in vain; among the dead letters.
    case attempts
    /// The server will never take it; among the dead letters.
    case refused
    /// Too large for a request; among the dead letters.
    case tooLarge
    /// Cleared, or no longer kept by retention, before it was delivered.
    case removed
}
