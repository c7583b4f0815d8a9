import HarkFleet
import HarkWire

/// One of the logs that machines of a fleet have had.
struct FleetLogKey: Hashable, Sendable {
    let machine: String
    let log: Identifier
}

/// What a hub has heard of a machine since it was started.
struct FleetPeer: Sendable {
    private(set) var isHere = false
    private(set) var seenAt: Timestamp?
    private(set) var hello: FleetHello?
    private(set) var group: String?
    /// Records that wait there, as it said last.
    private(set) var pending: UInt64?
    private var run: Identifier?

    mutating func heard(_ hello: FleetHello, at now: Timestamp) {
        if hello.isGone {
            // The last will of a connection that another one has followed.
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

    /// Whether it is there is not known any more.
    mutating func lost() { isHere = false }

    mutating func heard(_ content: FleetDecoder.Content, at now: Timestamp) {
        isHere = true
        seenAt = now
        group = content.head.group
        pending = content.head.pending ?? pending
    }
}
