package import HarkWire

/// A record that a destination will not take, kept so that somebody can look at it and have it tried again.
package struct DeadLetter: Sendable, Equatable {
    package let destination: String
    package let sequence: UInt64
    /// The lane it was on, and the reason it counts as dropped for there.
    package let lane: String
    package let cause: String
    package let session: Int64
    package let at: Timestamp
    /// What the server answered.
    package let status: Int?
    package let reason: String
    /// How often somebody had it tried again.
    package var replays = 0

    package init(
        destination: String, sequence: UInt64, lane: String, cause: String, session: Int64, at: Timestamp,
        status: Int?, reason: String, replays: Int = 0
    ) {
        self.destination = destination
        self.sequence = sequence
        self.lane = lane
        self.cause = cause
        self.session = session
        self.at = at
        self.status = status
        self.reason = reason
        self.replays = replays
    }
}
