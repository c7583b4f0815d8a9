internal import HarkCore
internal import HarkWire

extension StoreFamily {
    static let fleet = StoreFamily(migrations: [15: Schema.fleet, 20: Schema.fleetAway]) { FleetWriter($0) }
}

extension Schema {
    static let fleet = """
        -- How far a hub has come with each log of each machine. The first of a machine's logs has the lowest row.
        CREATE TABLE fleet_place(
            row INTEGER PRIMARY KEY,
            machine TEXT NOT NULL,
            log BLOB NOT NULL,
            sequence INTEGER NOT NULL,
            id BLOB NOT NULL,
            at INTEGER NOT NULL,
            taken INTEGER NOT NULL,
            UNIQUE(machine, log));
        """

    static let fleetAway = """
        -- When a machine was heard of last that is told to be away.
        ALTER TABLE fleet_place ADD COLUMN away INTEGER;
        """
}

/// Writes a hub's positions in the logs of machines. Belongs to the `StoreWriter`.
final class FleetWriter: FamilyWriter {
    private let put: DeferredStatement
    private let setAway: DeferredStatement

    init(_ database: Database) {
        put = DeferredStatement(
            database,
            """
            INSERT INTO fleet_place(machine, log, sequence, id, at, taken) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT(machine, log) DO UPDATE SET
                sequence = excluded.sequence, id = excluded.id, at = excluded.at, taken = excluded.taken
            """)
        setAway = DeferredStatement(database, "UPDATE fleet_place SET away = ? WHERE machine = ?")
    }

    func write(_ row: FleetPlaceRow) throws(StoreError) {
        switch row {
        case .put(let place):
            try put().bind(1, place.machine).bind(2, place.log.rawBytes).bind(3, Int64(clamping: place.sequence))
                .bind(4, place.id.rawBytes).bind(5, place.at.milliseconds).bind(6, place.takenAt.milliseconds).run()
        case .away(let machine, let since):
            try setAway().bind(1, since?.milliseconds).bind(2, machine).run()
        }
    }
}
