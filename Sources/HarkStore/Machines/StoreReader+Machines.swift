package import HarkCore
package import HarkWire

extension StoreReader {
    /// A registered machine; nil if it is unknown.
    package func machine(named name: String, group: String?, log: Identifier) throws(StoreError) -> MachineIdentity? {
        let statement = try database.prepare("\(MachineTable.selection) WHERE name = ? AND log = ? AND grp = ?")
            .bind(1, name).bind(2, log.rawBytes).bind(3, group ?? "")
        return try MachineTable.first(statement)
    }

    /// The machine of a uid, with the uid on that machine that a session belongs to; nil for the hub's own sessions.
    package func machine(
        of uid: UInt32, in session: Identifier
    ) throws(StoreError) -> (machine: MachineIdentity, uid: UInt32?)? {
        guard let machine = try machines.machine(uid: uid) else { return nil }
        let session = try self.session(id: session)?.identity
        return (machine, session?.machine == machine ? session?.machineUID : nil)
    }

    /// The machines after a row, in the order of registration.
    package func machines(after row: Int64 = 0, limit: Int = .max) throws(StoreError) -> [MachineIdentity] {
        let statement = try database.prepare("\(MachineTable.selection) WHERE row > ? ORDER BY row LIMIT ?")
            .bind(1, row).bind(2, Int64(limit))
        return try MachineTable.all(statement)
    }

    /// The row of the last registered machine; 0 if there is none.
    package func lastMachineRow() throws(StoreError) -> Int64 {
        try database.integer("SELECT max(row) FROM machine") ?? 0
    }

    /// Whether there are sessions with a uid from `MachineIdentity.firstUID` on.
    package func hasSessionsOfHighUIDs() throws(StoreError) -> Bool {
        try database.integer("SELECT 1 FROM session WHERE uid >= \(MachineIdentity.firstUID) LIMIT 1") != nil
    }
}
