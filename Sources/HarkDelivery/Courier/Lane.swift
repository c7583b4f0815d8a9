package import HarkCore

/// One of the ways to a destination. What must not wait for, nor make room for, something else has a lane of its own.
package struct Lane: Sendable, Equatable {
    /// Unique within its destination; its state is kept under both names.
    package let name: String
    package var filter: DeliveryFilter
    /// Of what cannot be delivered for now, so much is kept; the oldest goes first. Nil for all.
    package var maxPending: Int?
    /// Seconds.
    package var maxAge: Int?
    /// Whether what fails is kept for another try at all.
    package var keepsFailed = true
    /// What is recorded while it is off is never carried; else it is, once it is on.
    package var skipsWhileOff = false

    package init(_ name: String, _ filter: DeliveryFilter) {
        self.name = name
        self.filter = filter
    }
}

/// What a courier wants to be kept, all of it or nothing.
package struct DeliveryCommit: Sendable {
    package let lane: String
    package let progress: LaneProgress
    /// The breaker of the destination, if it has changed.
    package let breaker: Breaker?
    /// Letters that are dead now.
    package var deadLetters: [DeadLetter] = []
    /// Numbers of letters that were accepted after all.
    package var redeemed: [UInt64] = []

    package init(lane: String, progress: LaneProgress, breaker: Breaker?) {
        self.lane = lane
        self.progress = progress
        self.breaker = breaker
    }
}
