internal import HarkCore
internal import HarkWire

extension StoreReader {
    /// The numbers of answers of surveys with quotas.
    func quotas() throws(StoreError) -> [ExactName: QuotaCount] {
        let statement = try database.prepare("SELECT survey, cell, begins, answers FROM quota ORDER BY survey, cell")
        var counts: [ExactName: QuotaCount] = [:]
        while try statement.step() {
            let survey = ExactName(statement.text(0) ?? "")
            let begins = statement.isNull(2) ? nil : statement.timestamp(2)
            // All rows of a survey are written together. A row of another period can only be damage.
            guard counts[survey].map({ $0.begins == begins }) ?? true else { continue }
            counts[survey, default: QuotaCount(begins: begins)].answers[statement.text(1) ?? ""] =
                Int(min(max(statement.integer(3), 0), Int64(Int32.max)))
        }
        return counts
    }

    /// The credits that the hub has dealt to this machine.
    func credits() throws(StoreError) -> [ExactName: [CreditAccount]] {
        var accounts: [ExactName: [CreditAccount]] = [:]
        for row in try CreditTable.all(database.prepare("\(CreditTable.selection) ORDER BY survey, begins")) {
            let survey = ExactName(row.survey)
            if accounts[survey]?.last?.begins != row.begins || accounts[survey] == nil {
                accounts[survey, default: []].append(CreditAccount(begins: row.begins))
            }
            let last = (accounts[survey]?.endIndex ?? 1) - 1
            accounts[survey]?[last][row.name] = row.cell
        }
        return accounts
    }
}

extension SurveyWriter {
    func put(_ accounts: [CreditAccount], of survey: String) throws(StoreError) {
        try database.prepare("DELETE FROM credit WHERE survey = ?").bind(1, survey).run()
        let insertion = try database.prepare(CreditTable.insertion)
        for account in accounts {
            for (name, cell) in account.cells {
                try CreditTable.bind((survey, account.begins, name, cell), to: insertion).run()
            }
        }
    }
}
