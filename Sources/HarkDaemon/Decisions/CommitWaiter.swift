import HarkCore
import HarkSystem

/// Somebody who is told nothing before the disk has it.
@DaemonActor
protocol CommitWaiter {
    /// What was given so far goes with the commit that begins now; what comes later goes with the next.
    func commitBegins()
    func commitEnded(_ outcome: Ledger.Outcome)
}

extension Ledger {
    /// The commit that is under way.
    struct Flight {
        let waiting: [any CommitWaiter]
        let commitment: Commitment
        let unanswered: Int
        /// The same as the store has, and no copy.
        let records: [Record]
    }
}
