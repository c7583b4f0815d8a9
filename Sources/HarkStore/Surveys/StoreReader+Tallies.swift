package import HarkCore
internal import HarkWire

/// Counts showings: by tallies where these exist, otherwise by rows.
extension StoreReader {
    /// The number of tallies read in a turn.
    private static let talliesOfTurn = 32

    /// Adds the showings of a survey to the results, for one turn.
    ///
    /// - Returns: the row after which to continue; nil when there is nothing more.
    package func addShowings(
        _ query: PresentationQuery, to waves: SurveyWaves, _ onFound: () -> Void
    ) throws(StoreError) -> Int64? {
        guard let survey = query.survey, !waves.asksForProperty else { return try addRows(query, to: waves, onFound) }
        var query = query
        let tallies = try database.prepare(
            "SELECT first, last, data FROM tally WHERE survey = ?1 AND last > ?2 ORDER BY last"
        ).bind(1, survey).bind(2, query.afterRow ?? 0)
        defer { tallies.reset() }
        let rows = try database.prepare(
            "SELECT 1 FROM presentation WHERE survey = ?1 AND row > ?2 AND row < ?3 LIMIT 1"
        ).bind(1, survey)
        for _ in 0..<Self.talliesOfTurn {
            guard try tallies.stepUnlessDamaged() ?? false else { return try addRows(query, to: waves, onFound) }
            let (first, last) = (tallies.integer(0), tallies.integer(1))
            // A tally made since the last turn may include rows that were counted then.
            let tally = first > query.afterRow ?? 0 ? tallies.withBytes(2) { ShowingTally($0) } : nil
            query.beforeRow = tally == nil ? last &+ 1 : first
            let isGap = try rows.bind(2, query.afterRow ?? 0).bind(3, query.beforeRow).step()
            rows.reset()
            if isGap, let next = try addRows(query, to: waves, onFound) { return next }
            if let tally { try add(tally, query, to: waves, onFound) }
            (query.afterRow, query.beforeRow) = (last, nil)
        }
        return query.afterRow
    }

    private func add(
        _ tally: ShowingTally, _ query: PresentationQuery, to waves: SurveyWaves, _ onFound: () -> Void
    ) throws(StoreError) {
        var accounts: [UInt32: MachineIdentity?] = [:]
        for uid in tally.accounts where query.uid.map({ $0 == uid }) ?? true {
            let machine = try machines.machine(uid: uid)
            if query.machines?.includes(machine) ?? true { accounts[uid] = .some(machine) }
        }
        if !accounts.isEmpty { onFound() }
        waves.add(tally, of: accounts)
    }

    private func addRows(
        _ query: PresentationQuery, to waves: SurveyWaves, _ onFound: () -> Void
    ) throws(StoreError) -> Int64? {
        try forEachShowing(query) { row throws(StoreError) in
            let machine = waves.asksForMachine ? try self.machine(uid: try row.uid(2)) : nil
            // Most rows are not converted to presentations, which takes many times longer.
            guard let showing = try row.showing(withTrigger: waves.asksForProperty), waves.add(showing, on: machine)
            else {
                // Reading the row as a presentation notes the damage.
                _ = try surveys.presentation(in: row)
                return false
            }
            onFound()
            return true
        }
    }
}

extension Statement {
    /// The showing in a row of `PresentationTable`, in place; nil if its state is invalid.
    func showing(withTrigger: Bool = false) throws(StoreError) -> ShowingRow? {
        guard let state: Presentation.State = choice(7) else { return nil }
        func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> { withBytes(column) { $0 } }
        return ShowingRow(
            state: state, uid: try uid(2), user: bytes(3), app: bytes(4), locale: isNull(16) ? nil : bytes(16),
            reason: isNull(15) ? nil : bytes(15), due: timestamp(9), presented: time(11), closed: time(12),
            answers: bytes(17), times: bytes(22),
            trigger: withTrigger ? bytes(27) : UnsafeBufferPointer(start: nil, count: 0))
    }
}
