package import HarkWire

/// A record that a destination has refused, kept for inspection and retry.
package struct DeadLetter: Sendable, Equatable {
    package let destination: String
    package let sequence: UInt64
    /// The delivery queue that the record was in, and the reason under which it counts as dropped there.
    package let lane: String
    package let cause: String
    package let session: Int64
    package let at: Timestamp
    /// The HTTP status of the server's response; nil if there was none.
    package let status: Int?
    package let reason: String
    /// How often the dead letter was retried by request.
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
