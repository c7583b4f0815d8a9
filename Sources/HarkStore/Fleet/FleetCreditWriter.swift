package import HarkCore
package import HarkWire

extension StoreFamily {
    static let fleetCredits = StoreFamily(migrations: [29: Schema.fleetCredits]) { FleetCreditWriter($0) }
}

extension Schema {
    static let fleetCredits = """
        -- What a hub has dealt each log of a machine of a quota, in the period that began at `begins`; -1: it has no periods.
        -- `heard` is when the machine has told of it last, or some time before.
        CREATE TABLE fleet_credit(
            survey TEXT NOT NULL,
            begins INTEGER NOT NULL,
            log BLOB NOT NULL,
            cell TEXT NOT NULL,
            machine TEXT NOT NULL,
            heard INTEGER NOT NULL,
            dealt INTEGER NOT NULL,
            returned INTEGER NOT NULL,
            spent INTEGER NOT NULL,
            freed INTEGER NOT NULL,
            PRIMARY KEY(survey, begins, log, cell)) WITHOUT ROWID;
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
            INSERT OR REPLACE INTO fleet_credit(survey, begins, log, cell, machine, heard, dealt, returned, spent, freed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        dropPeriods = DeferredStatement(
            database,
            """
            DELETE FROM fleet_credit WHERE survey = ?1 AND begins NOT IN
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
                try putCell().bind(1, survey).bind(2, account.begins?.milliseconds ?? -1).bind(3, log.rawBytes)
                    .bind(4, name).bind(5, holder.machine).bind(6, holder.heardAt.milliseconds).bind(7, cell).run()
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
            SELECT log, cell, machine, heard, dealt, returned, spent, freed FROM fleet_credit
            WHERE survey = ? AND begins = ? ORDER BY log
            """
        ).bind(1, survey).bind(2, begins?.milliseconds ?? -1)
        defer { statement.reset() }
        var holders: [Identifier: CreditPool.Holder] = [:]
        while try statement.step() {
            guard let log = statement.withBytes(0, { Identifier(raw: $0) }) else {
                throw StoreError(.damaged, "what was dealt of a quota cannot be read from the store")
            }
            var holder =
                holders[log]
                ?? CreditPool.Holder(
                    machine: statement.text(2) ?? "", account: CreditAccount(begins: begins),
                    heardAt: statement.timestamp(3))
            holder.account[statement.text(1) ?? ""] = statement.credits(4)
            holders[log] = holder
        }
        return CreditPool(begins: begins, holders: holders)
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
