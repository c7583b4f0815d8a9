import HarkFleet
import HarkWire

/// A log that a machine of the fleet has had.
struct FleetLogKey: Hashable, Sendable {
    let machine: String
    let log: Identifier
}

/// What a hub has heard of a machine since its start.
struct FleetPeer: Sendable {
    private(set) var isHere = false
    private(set) var seenAt: Timestamp?
    private(set) var hello: FleetHello?
    private(set) var group: String?
    /// The machine's pending records, as it last reported.
    private(set) var pending: UInt64?
    private var run: Identifier?

    mutating func heard(_ hello: FleetHello, at now: Timestamp) {
        if hello.isGone {
            // The last will of a connection that has been replaced by another.
            guard run == hello.run else { return }
            isHere = false
        } else {
            isHere = true
            run = hello.run
            self.hello = hello
            group = hello.group
            pending = hello.pending ?? pending
        }
        seenAt = now
    }

    /// Notes that the machine's presence is unknown.
    mutating func lost() { isHere = false }

    mutating func heard(_ content: FleetDecoder.Content, at now: Timestamp) {
        isHere = true
        seenAt = now
        group = content.head.group
        pending = content.head.pending ?? pending
    }
}
