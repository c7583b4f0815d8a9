package import HarkWire

/// Keeps a hub from dealing credits while it does not know which it has dealt: its store was set back to an earlier state, or
/// replaces one that was lost.
///
/// This shows when a machine holds more than the hub has dealt it. Then nothing more is dealt until all machines that the
/// hub knows have reported their credits and none has reported more for a day, or until every earlier lease is over.
package struct CreditRecount: Sendable, Equatable {
    /// When it was found; nil: nothing is wrong.
    package private(set) var since: Timestamp?
    /// The machine whose report showed it.
    package private(set) var machine: String?
    /// The logs that have not reported yet.
    package private(set) var awaited: Set<CreditPool.Log> = []
    /// The logs that have reported since the start of this hub.
    private var heard: Set<CreditPool.Log> = []
    /// The time of the last report of more credits than the hub knew.
    private var latest: Timestamp?

    /// The time in which machines that the store does not know must report; milliseconds.
    package static let quiet: Int64 = 86_400_000

    package init() {}

    package mutating func heard(_ log: CreditPool.Log) {
        heard.insert(log)
        awaited.remove(log)
    }

    /// - Parameters:
    ///   - since: when it was found: now, or in an earlier run.
    ///   - logs: the logs that may hold credits.
    package mutating func begin(
        since: Timestamp, by machine: String?, awaiting logs: Set<CreditPool.Log>, at now: Timestamp
    ) {
        (self.since, self.machine, latest) = (since, machine, now)
        awaited = logs.subtracting(heard)
    }

    /// Notes that a machine holds more than the hub knew.
    package mutating func learned(at now: Timestamp) { latest = now }

    /// Whether anything may be dealt. Ends the recount when it is over.
    package mutating func mayDeal(at now: Timestamp, lease: Int64) -> Bool {
        guard let since else { return true }
        let quiet = min(CreditRecount.quiet, CreditPool.patience(lease))
        let isTold = awaited.isEmpty && now.milliseconds - (latest ?? since).milliseconds > quiet
        guard isTold || now.milliseconds - since.milliseconds > CreditPool.patience(lease) else { return false }
        (self.since, machine, latest) = (nil, nil, nil)
        awaited = []
        return true
    }
}
