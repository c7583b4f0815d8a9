internal import HarkCore

extension StoreFamily {
    static let machines = StoreFamily(migrations: [14: Schema.machines]) { MachineWriter($0) }
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

enum MachineTable: StoredTable {
    static let name = "machine"
    static let mendsTexts = true

    static func map(_ column: inout Columns<MachineIdentity>) -> MachineIdentity {
        let (row, name) = (column("row") { $0.row }, column("name") { $0.name })
        let group = column("grp") { $0.group ?? "" }
        return MachineIdentity(row: row, name: name, group: group.isEmpty ? nil : group, log: column("log") { $0.log })
    }
}

/// Writes the table of machines. Belongs to the `StoreWriter`.
final class MachineWriter: FamilyWriter {
    private let database: Database
    private lazy var insert = DeferredStatement(database, MachineTable.insertion)

    init(_ database: Database) { self.database = database }

    func write(_ row: MachineRow) throws(StoreError) {
        switch row {
        case .insert(let machine): try MachineTable.bind(machine, to: insert()).run()
        }
    }
}
