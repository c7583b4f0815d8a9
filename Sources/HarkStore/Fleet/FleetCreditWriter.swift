package import HarkCore
package import HarkWire

extension StoreFamily {
    static let fleetCredits = StoreFamily(migrations: [29: Schema.fleetCredits]) { FleetCreditWriter($0) }
}

extension Schema {
    static let fleetCredits = """
        -- What a hub has dealt each log of a machine of a quota, in the period that began at `begins`; -1: it has no periods.
        -- `until` is when the hub may deal it to others, if it hears nothing of the machine.
        CREATE TABLE fleet_credit(
            survey TEXT NOT NULL,
            begins INTEGER NOT NULL,
            machine TEXT NOT NULL,
            log BLOB NOT NULL,
            cell TEXT NOT NULL,
            until INTEGER NOT NULL,
            dealt INTEGER NOT NULL,
            returned INTEGER NOT NULL,
            spent INTEGER NOT NULL,
            freed INTEGER NOT NULL,
            PRIMARY KEY(survey, begins, machine, log, cell)) WITHOUT ROWID;
        """
}

/// Writes what a hub has dealt of quotas. Belongs to the `StoreWriter`.
final class FleetCreditWriter: FamilyWriter {
    private let putCell: DeferredStatement
    private let dropPeriods: DeferredStatement

    init(_ database: Database) {
        putCell = DeferredStatement(
            database,
            """
            INSERT OR REPLACE INTO fleet_credit(survey, begins, machine, log, cell, until, dealt, returned, spent, freed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        dropPeriods = DeferredStatement(
            database,
            """
            DELETE FROM fleet_credit WHERE survey = ?1 AND begins <> -1 AND begins NOT IN
                (SELECT DISTINCT begins FROM fleet_credit WHERE survey = ?1 ORDER BY begins DESC LIMIT ?2)
            """)
    }

    func write(_ row: FleetCreditRow) throws(StoreError) {
        switch row {
        case .put(let survey, let log, let holder):
            let account = holder.account
            // A machine that holds nothing yet is known as well.
            let cells = account.cells.isEmpty ? [QuotaCount.all: CreditAccount.Cell()] : account.cells
            for (name, cell) in cells {
                try putCell().bind(1, survey).bind(2, account.begins?.milliseconds ?? -1).bind(3, log.machine)
                    .bind(4, log.id.rawBytes).bind(5, name).bind(6, holder.until.milliseconds).bind(7, cell).run()
            }
        case .keepPeriods(let survey): try dropPeriods().bind(1, survey).bind(2, Int64(CreditBook.periods)).run()
        }
    }
}

extension StoreReader {
    /// What this hub has dealt of a survey's quota in a period.
    package func creditPool(of survey: String, begins: Timestamp?) throws(StoreError) -> CreditPool {
        let statement = try database.prepare(
            """
            SELECT machine, log, cell, until, dealt, returned, spent, freed FROM fleet_credit
            WHERE survey = ? AND begins = ?
            """
        ).bind(1, survey).bind(2, begins?.milliseconds ?? -1)
        defer { statement.reset() }
        var holders: [CreditPool.Log: CreditPool.Holder] = [:]
        while try statement.step() {
            let log = try statement.creditLog()
            let cell = (name: statement.text(2) ?? "", statement.credits(4))
            holders[
                log,
                default: CreditPool.Holder(account: CreditAccount(begins: begins), until: statement.timestamp(3))
            ].account[cell.name] = cell.1
        }
        return CreditPool(begins: begins, holders: holders)
    }

    /// The logs that may hold something at a moment.
    package func creditHolders(until moment: Timestamp) throws(StoreError) -> [CreditPool.Log] {
        let statement = try database.prepare("SELECT DISTINCT machine, log FROM fleet_credit WHERE until >= ?")
            .bind(1, moment.milliseconds)
        defer { statement.reset() }
        var logs: [CreditPool.Log] = []
        while try statement.step() { logs.append(try statement.creditLog()) }
        return logs
    }

    /// The answered showings of a survey that have come from a log of a machine, in whichever group it was.
    package func answered(_ survey: String, of log: Identifier) throws(StoreError) -> [Presentation] {
        let statement = try database.prepare(
            "SELECT row FROM machine WHERE log = ?"
        ).bind(1, log.rawBytes)
        var rows: [Int64] = []
        while try statement.step() { rows.append(statement.integer(0)) }
        var answered: [Presentation] = []
        for row in rows {
            var query = PresentationQuery()
            query.survey = survey
            query.uid = UInt32(clamping: Int64(MachineIdentity.firstUID) + row)
            query.states = [.answered]
            _ = try forEachPresentation(query) { presentation, _ throws(StoreError) in answered.append(presentation) }
        }
        return answered
    }
}

extension Statement {
    /// A name of a machine and the id of its log, in the first two columns.
    fileprivate func creditLog() throws(StoreError) -> CreditPool.Log {
        guard let id = withBytes(1, { Identifier(raw: $0) }) else {
            throw StoreError(.damaged, "what was dealt of a quota cannot be read from the store")
        }
        return CreditPool.Log(machine: text(0) ?? "", id: id)
    }
}
