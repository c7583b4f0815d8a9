internal import HarkCore
internal import HarkWire

extension StoreFamily {
    static let machines = StoreFamily(migrations: [14: Schema.machines]) { database throws(StoreError) in
        try MachineWriter(database)
    }
}

extension Schema {
    static let machines = """
        -- Whose records a hub has taken over; `grp` is '' for none. The sessions of a machine bear 2147483648 + row as their
        -- uid, so rows stay for ever.
        CREATE TABLE machine(
            row INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            grp TEXT NOT NULL,
            log BLOB NOT NULL,
            UNIQUE(name, log, grp));
        -- The uid that a session of a machine has there.
        ALTER TABLE session ADD COLUMN machineUid INTEGER;
        -- The id that it has there, where that is another.
        ALTER TABLE session ADD COLUMN machineSession BLOB;
        """
}

/// Writes the table of machines. Belongs to the `StoreWriter`.
final class MachineWriter: FamilyWriter {
    private let insert: Statement

    init(_ database: Database) throws(StoreError) {
        insert = try database.prepare("INSERT INTO machine(row, name, grp, log) VALUES (?, ?, ?, ?)")
    }

    func write(_ row: MachineRow) throws(StoreError) {
        switch row {
        case .insert(let machine):
            try insert.bind(1, machine.row).bind(2, machine.name).bind(3, machine.group ?? "")
                .bind(4, machine.log.rawBytes).run()
        }
    }
}
