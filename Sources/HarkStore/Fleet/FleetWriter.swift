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
    private let database: Database
    private lazy var put = DeferredStatement(database, FleetPlaceTable.upsert)
    private lazy var setAway = DeferredStatement(database, "UPDATE fleet_place SET away = ? WHERE machine = ?")

    init(_ database: Database) { self.database = database }

    func write(_ row: FleetPlaceRow) throws(StoreError) {
        switch row {
        case .put(let place): try FleetPlaceTable.bind(place, to: put()).run()
        case .away(let machine, let since):
            try setAway().bind(1, since?.milliseconds).bind(2, machine).run()
        }
    }
}
