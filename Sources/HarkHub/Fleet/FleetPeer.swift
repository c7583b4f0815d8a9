package import HarkFleet
package import HarkWire

/// A log that a machine of the fleet has had.
package struct FleetLogKey: Hashable, Sendable {
    package let machine: String
    package let log: Identifier

    package init(machine: String, log: Identifier) {
        self.machine = machine
        self.log = log
    }
}

/// The state of a machine, as the hub has heard it since its start.
package struct FleetPeer: Sendable {
    package private(set) var isHere = false
    package private(set) var seenAt: Timestamp?
    package private(set) var hello: FleetHello?
    package private(set) var group: String?
    /// The machine's pending records, as it last reported.
    package private(set) var pending: UInt64?
    private var run: Identifier?

    package mutating func heard(_ hello: FleetHello, at now: Timestamp) {
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
    package mutating func lost() { isHere = false }

    package mutating func heard(_ content: FleetDecoder.Content, at now: Timestamp) {
        isHere = true
        seenAt = now
        group = content.head.group
        pending = content.head.pending ?? pending
    }
}
