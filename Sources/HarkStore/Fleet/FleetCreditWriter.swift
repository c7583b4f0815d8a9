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

/// Writes the credits that a hub has dealt for quotas. Belongs to the `StoreWriter`.
final class FleetCreditWriter: FamilyWriter {
    private let database: Database
    private lazy var putCell = DeferredStatement(database, FleetCreditTable.upsert)
    private lazy var dropPeriods = DeferredStatement(
        database,
        """
        DELETE FROM fleet_credit WHERE survey = ?1 AND begins <> -1 AND begins NOT IN
            (SELECT DISTINCT begins FROM fleet_credit WHERE survey = ?1 ORDER BY begins DESC LIMIT ?2)
        """)

    init(_ database: Database) { self.database = database }

    func write(_ row: FleetCreditRow) throws(StoreError) {
        switch row {
        case .put(let survey, let log, let holder):
            let account = holder.account
            // A machine without credits is known too.
            let cells = account.cells.isEmpty ? [QuotaCount.all: CreditAccount.Cell()] : account.cells
            for (name, cell) in cells {
                let row = (survey, account.begins, log, name, holder.until, cell)
                try FleetCreditTable.bind(row, to: putCell()).run()
            }
        case .keepPeriods(let survey): try dropPeriods().bind(1, survey).bind(2, Int64(CreditBook.periods)).run()
        }
    }
}

extension StoreReader {
    /// The credits that this hub has dealt for a survey's quota in a period.
    package func creditPool(of survey: String, begins: Timestamp?) throws(StoreError) -> CreditPool {
        let rows = try FleetCreditTable.all(
            database.prepare("\(FleetCreditTable.selection) WHERE survey = ? AND begins = ?")
                .bind(1, survey).bind(2, begins?.milliseconds ?? -1))
        var holders: [CreditPool.Log: CreditPool.Holder] = [:]
        for row in rows {
            holders[
                row.log, default: CreditPool.Holder(account: CreditAccount(begins: begins), until: row.until)
            ].account[row.name] = row.cell
        }
        return CreditPool(begins: begins, holders: holders)
    }

    /// The logs that may hold something at a moment.
    package func creditHolders(until moment: Timestamp) throws(StoreError) -> [CreditPool.Log] {
        try database.prepare("SELECT DISTINCT machine, log FROM fleet_credit WHERE until >= ?")
            .bind(1, moment.milliseconds)
            .all { row throws(StoreError) in
                CreditPool.Log(machine: row.text(0) ?? "", id: try Identifier.read(row, 1))
            }
    }

    /// The answered showings of a survey that have come from a log of a machine, in any of its groups.
    package func answered(_ survey: String, of log: Identifier) throws(StoreError) -> [Presentation] {
        let rows = try database.prepare("SELECT row FROM machine WHERE log = ?").bind(1, log.rawBytes)
            .all { $0.integer(0) }
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
