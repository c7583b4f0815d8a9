package import HarkCore

extension StoreReader {
    /// This hub's positions in the logs of one machine or of all; the logs of a machine in order of first appearance.
    package func fleetPlaces(of machine: String? = nil) throws(StoreError) -> [FleetPlace] {
        let statement = try database.prepare(
            "\(FleetPlaceTable.selection) \(machine == nil ? "" : "WHERE machine = ?") ORDER BY machine, row")
        if let machine { statement.bind(1, machine) }
        return try FleetPlaceTable.all(statement)
    }

    /// The number of machine logs that this hub has positions in.
    package func fleetPlaceCount() throws(StoreError) -> Int {
        Int(try database.integer("SELECT count(*) FROM fleet_place") ?? 0)
    }

    /// The groups that machines have been in, sorted; at most 10,000.
    package func machineGroups() throws(StoreError) -> [String] {
        try database.prepare("SELECT DISTINCT grp FROM machine WHERE grp <> '' ORDER BY grp LIMIT 10000")
            .all { $0.text(0) }
    }
}
