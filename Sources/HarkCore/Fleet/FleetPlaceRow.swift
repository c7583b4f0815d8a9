package import HarkWire

/// How far this hub has come with one log of a machine.
package struct FleetPlace: Sendable, Equatable {
    /// The machine, as it calls itself.
    package let machine: String
    /// Which of the logs the machine has had: the id of its own store.
    package let log: Identifier
    /// The number and the id of the last record that was taken.
    package var sequence: UInt64
    package var id: Identifier
    /// When that record happened.
    package var at: Timestamp
    /// When it was taken.
    package var takenAt: Timestamp
    /// When the machine was heard of last, where it was told that it is away.
    package var awaySince: Timestamp?

    package init(
        machine: String, log: Identifier, sequence: UInt64, id: Identifier, at: Timestamp, takenAt: Timestamp,
        awaySince: Timestamp? = nil
    ) {
        self.machine = machine
        self.log = log
        self.sequence = sequence
        self.id = id
        self.at = at
        self.takenAt = takenAt
        self.awaySince = awaySince
    }
}

/// Has the store keep how it stands with machines.
package enum FleetPlaceRow: FamilyRow {
    /// How far it has come with a log, in the commit that has the records.
    case put(FleetPlace)
    /// Since when a machine is away; nil: it is back.
    case away(machine: String, since: Timestamp?)

    package init(_ place: FleetPlace) { self = .put(place) }
}
