internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// How many answers the surveys with quotas have.
    func quotas() throws(StoreError) -> [ExactName: QuotaCount] {
        let statement = try database.prepare("SELECT survey, cell, begins, answers FROM quota ORDER BY survey, cell")
        var counts: [ExactName: QuotaCount] = [:]
        while try statement.step() {
            let survey = ExactName(statement.text(0) ?? "")
            let begins = statement.isNull(2) ? nil : statement.timestamp(2)
            // All rows of a survey are written together; those of another period can only be damage.
            guard counts[survey].map({ $0.begins == begins }) ?? true else { continue }
            counts[survey, default: QuotaCount(begins: begins)].answers[statement.text(1) ?? ""] =
                Int(min(max(statement.integer(3), 0), Int64(Int32.max)))
        }
        return counts
    }

    /// What the hub has dealt this machine.
    func credits() throws(StoreError) -> [ExactName: [CreditAccount]] {
        let statement = try database.prepare(
            "SELECT survey, begins, cell, dealt, returned, spent, freed FROM credit ORDER BY survey, begins")
        var accounts: [ExactName: [CreditAccount]] = [:]
        while try statement.step() {
            let survey = ExactName(statement.text(0) ?? "")
            let begins = statement.period(1)
            if accounts[survey]?.last?.begins != begins || accounts[survey] == nil {
                accounts[survey, default: []].append(CreditAccount(begins: begins))
            }
            let last = (accounts[survey]?.endIndex ?? 1) - 1
            accounts[survey]?[last][statement.text(2) ?? ""] = statement.credits(3)
        }
        return accounts
    }
}

extension Statement {
    /// The beginning of a period; nil: there are none.
    func period(_ column: Int32) -> Timestamp? { integer(column) == -1 ? nil : timestamp(column) }

    /// Four numbers from a column on. What is out of bounds can only be damage.
    func credits(_ column: Int32) -> CreditAccount.Cell {
        func count(_ column: Int32) -> Int { Int(min(max(integer(column), 0), Int64(CreditAccount.most))) }
        return CreditAccount.Cell(
            dealt: count(column), returned: count(column + 1), spent: count(column + 2), freed: count(column + 3))
    }

    func bind(_ column: Int32, _ cell: CreditAccount.Cell) -> Statement {
        bind(column, Int64(cell.dealt)).bind(column + 1, Int64(cell.returned)).bind(column + 2, Int64(cell.spent))
            .bind(column + 3, Int64(cell.freed))
    }
}

extension SurveyWriter {
    func put(_ accounts: [CreditAccount], of survey: String) throws(StoreError) {
        try database.prepare("DELETE FROM credit WHERE survey = ?").bind(1, survey).run()
        let insertion = try database.prepare(
            """
            INSERT INTO credit(survey, begins, cell, dealt, returned, spent, freed) VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        for account in accounts {
            for (name, cell) in account.cells {
                try insertion.bind(1, survey).bind(2, account.begins?.milliseconds ?? -1).bind(3, name).bind(4, cell)
                    .run()
            }
        }
    }
}
