/// The state of a destination.
package enum DestinationState: String, Sendable, CaseIterable {
    case off, delivering, offline, open, suspended, waiting, idle
}

/// Why a destination did not get a record.
package enum DropReason: String, Sendable, CaseIterable {
    /// It was older than the destination's queue keeps records.
    case age
    /// There were more waiting records than the queue keeps.
    case overflow
    /// The destination does not keep failed records.
    case notKept
    /// Every attempt failed; it is among the dead letters.
    case attempts
    /// The server refused it for good; it is among the dead letters.
    case refused
    /// It was too large for a request; it is among the dead letters.
    case tooLarge
    /// It was cleared, or removed by retention, before it was delivered.
    case removed
}
