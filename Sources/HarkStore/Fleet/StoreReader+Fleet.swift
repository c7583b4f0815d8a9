package import HarkCore
internal import HarkWire

extension StoreReader {
    /// This hub's positions in the logs of one machine or of all; the logs of a machine in order of first appearance.
    package func fleetPlaces(of machine: String? = nil) throws(StoreError) -> [FleetPlace] {
        let statement = try database.prepare(
            """
            SELECT machine, log, sequence, id, at, taken, away FROM fleet_place
            \(machine == nil ? "" : "WHERE machine = ?") ORDER BY machine, row
            """)
        defer { statement.reset() }
        if let machine { statement.bind(1, machine) }
        var places: [FleetPlace] = []
        while try statement.step() {
            guard let log = statement.withBytes(1, { Identifier(raw: $0) }),
                let id = statement.withBytes(3, { Identifier(raw: $0) })
            else { throw StoreError(.damaged, "how far a machine has come cannot be read from the store") }
            places.append(
                FleetPlace(
                    machine: statement.text(0) ?? "", log: log, sequence: UInt64(clamping: statement.integer(2)),
                    id: id,
                    at: statement.timestamp(4), takenAt: statement.timestamp(5),
                    awaySince: statement.time(6)))
        }
        return places
    }

    /// The number of machine logs that this hub has positions in.
    package func fleetPlaceCount() throws(StoreError) -> Int {
        Int(try database.integer("SELECT count(*) FROM fleet_place") ?? 0)
    }

    /// The groups that machines have been in, sorted; at most 10,000.
    package func machineGroups() throws(StoreError) -> [String] {
        let statement = try database.prepare(
            "SELECT DISTINCT grp FROM machine WHERE grp <> '' ORDER BY grp LIMIT 10000")
        defer { statement.reset() }
        var groups: [String] = []
        while try statement.step() { if let group = statement.text(0) { groups.append(group) } }
        return groups
    }
}
