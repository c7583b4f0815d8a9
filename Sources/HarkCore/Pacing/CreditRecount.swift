package import HarkWire

/// Keeps a hub from dealing credits while it does not know what it has dealt: its store was set back to an earlier state, or
/// replaces one that was lost.
///
/// It is found out when a machine holds more than the hub has dealt it. Then nothing more is dealt until all machines that the
/// hub knows have told what they hold and none has told of more for a day, or until no lease of before can last any more.
package struct CreditRecount: Sendable, Equatable {
    /// When it was found out; nil: nothing is wrong.
    package private(set) var since: Timestamp?
    /// By whom.
    package private(set) var machine: String?
    /// Those that are still to tell.
    package private(set) var awaited: Set<CreditPool.Log> = []
    /// Those that have told what they hold since the start of this hub.
    private var heard: Set<CreditPool.Log> = []
    /// When a machine has told of more the last time.
    private var latest: Timestamp?

    /// Machines that the store does not know have so long to tell; milliseconds.
    package static let quiet: Int64 = 86_400_000

    package init() {}

    package mutating func heard(_ log: CreditPool.Log) {
        heard.insert(log)
        awaited.remove(log)
    }

    /// - Parameters:
    ///   - since: when it was found out: now, or in an earlier run.
    ///   - logs: those that may hold something.
    package mutating func begin(
        since: Timestamp, by machine: String?, awaiting logs: Set<CreditPool.Log>, at now: Timestamp
    ) {
        (self.since, self.machine, latest) = (since, machine, now)
        awaited = logs.subtracting(heard)
    }

    /// A machine holds more than the hub knew.
    package mutating func learned(at now: Timestamp) { latest = now }

    /// Whether anything may be dealt. Ends the recount where that is over.
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
