package import HarkWire

/// This hub's position in one log of a machine.
package struct FleetPlace: Sendable, Equatable {
    /// The machine's name, as it reports it.
    package let machine: String
    /// The log among those of the machine: the id of its store.
    package let log: Identifier
    /// The number and the id of the last record taken.
    package var sequence: UInt64
    package var id: Identifier
    /// When that record happened.
    package var at: Timestamp
    /// When that record was taken.
    package var takenAt: Timestamp
    /// When the machine was last heard of, if its absence was reported.
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

/// A change in the store to the hub's state of machines.
package enum FleetPlaceRow: FamilyRow {
    /// The position in a log, stored in the same transaction as the records.
    case put(FleetPlace)
    /// Stores since when a machine is away; nil when it is back.
    case away(machine: String, since: Timestamp?)

    package init(_ place: FleetPlace) { self = .put(place) }
}
