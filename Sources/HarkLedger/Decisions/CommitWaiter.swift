import HarkCore
package import HarkSystem
package import HarkWire

/// Waits for a commit before its client gets a reply.
@DaemonActor
package protocol CommitWaiter {
    /// Writes text that is sent, in order, once everything decided so far is on disk.
    func hold(_ write: (inout JSONWriter) -> Void)
    /// Notes that the commit begins: replies so far belong to it, and later ones to the next.
    func commitBegins()
    func commitEnded(_ outcome: Ledger.Outcome)
}

extension Ledger {
    /// The commit in progress.
    struct Flight {
        let waiting: [any CommitWaiter]
        let commitment: Commitment
        let unanswered: Int
        /// Shared with the store, not a copy.
        let records: [Record]
    }
}
