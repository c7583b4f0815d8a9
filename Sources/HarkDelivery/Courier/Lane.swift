package import HarkCore

/// A queue to a destination. Records that must not wait for others, nor make room for them, have their own lane.
package struct Lane: Sendable, Equatable {
    /// Unique within its destination; the lane's state is stored under both names.
    package let name: String
    package var filter: DeliveryFilter
    /// The maximum number of kept records that cannot be delivered now; the oldest are dropped first. Nil for all.
    package var maxPending: Int?
    /// The maximum age of records, in seconds.
    package var maxAge: Int?
    /// Whether failed records are kept for a retry.
    package var keepsFailed = true
    /// Whether records of the time while it is off are skipped; if not, they are delivered later.
    package var skipsWhileOff = false

    package init(_ name: String, _ filter: DeliveryFilter) {
        self.name = name
        self.filter = filter
    }
}

/// A courier's changes to the store, in one transaction.
package struct DeliveryCommit: Sendable {
    package let lane: String
    package let progress: LaneProgress
    /// The breaker of the destination, if it has changed.
    package let breaker: Breaker?
    /// New dead letters.
    package var deadLetters: [DeadLetter] = []
    /// The numbers of dead letters that were accepted after all.
    package var redeemed: [UInt64] = []

    package init(lane: String, progress: LaneProgress, breaker: Breaker?) {
        self.lane = lane
        self.progress = progress
        self.breaker = breaker
    }
}
