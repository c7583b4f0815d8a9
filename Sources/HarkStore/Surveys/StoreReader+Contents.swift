package import HarkCore

extension StoreReader {
    /// Adds the contents shown by a query's showings, oldest first, for at most `maxRows` rows.
    ///
    /// - Returns: the row after which to continue, and whether there is no room for more; nil when there is nothing
    ///   more.
    package func addContents(
        _ query: PresentationQuery, to contents: inout ShownContents
    ) throws(StoreError) -> (row: Int64, isFull: Bool)? {
        let statement = try database.prepare(
            """
            SELECT row, shown, uid, user, app, coalesce(presented, created) FROM presentation
            WHERE survey = ?1 AND row > ?2 ORDER BY row
            """
        ).bind(1, query.survey ?? "").bind(2, query.afterRow ?? 0)
        var rows = 0
        var last = query.afterRow ?? 0
        while try statement.step() {
            if rows >= query.maxRows ?? .max { return (last, false) }
            rows += 1
            let shown = statement.withBytes(1) { $0 }
            if !shown.isEmpty, query.includes(statement), try isOfMachines(query.machines, statement),
                !contents.add(shown, at: statement.timestamp(5))
            {
                return (last, true)
            }
            last = statement.integer(0)
        }
        return nil
    }

    private func isOfMachines(_ filter: MachineFilter?, _ row: Statement) throws(StoreError) -> Bool {
        guard let filter else { return true }
        return filter.includes(try machines.machine(uid: try row.uid(2)))
    }

    /// The machine whose rows have this uid, on a hub.
    package func machine(uid: UInt32) throws(StoreError) -> MachineIdentity? { try machines.machine(uid: uid) }
}
