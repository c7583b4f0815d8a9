package import HarkCore
package import HarkFleet

// The engine's account as a message.

extension FleetCredit {
    package init(_ report: Engine.CreditReport) {
        self.init(survey: report.survey, begins: report.account.begins)
        cells = report.account.cells.mapValues { Cell($0) }
        wants = report.wants.sorted { $0.key.lexicographicallyPrecedes($1.key) }.prefix(FleetCredit.mostWants)
            .map { Want(cells: $0.key, count: $0.value) }
    }

    /// Whether these credits are enough for the waiting surveys.
    func meets(_ wants: [[String]: Int]) -> Bool {
        let account = CreditAccount(self)
        return wants.allSatisfy { cells, count in cells.allSatisfy { account[$0].left >= count } }
    }

    package var standings: [String: CreditStanding] {
        cells.compactMapValues { cell in
            cell.standing.map { CreditStanding(limit: $0.limit, used: $0.used, held: $0.held) }
        }
    }
}

extension FleetCredit.Cell {
    package init(_ cell: CreditAccount.Cell, _ standing: CreditStanding? = nil) {
        self.init(dealt: cell.dealt, returned: cell.returned, spent: cell.spent, freed: cell.freed)
        self.standing = standing.map { FleetCredit.Standing(limit: $0.limit, used: $0.used, held: $0.held) }
    }
}

extension CreditAccount {
    package init(_ credit: FleetCredit) {
        self.init(
            begins: credit.begins,
            cells: credit.cells.mapValues { cell in
                Cell(dealt: cell.dealt, returned: cell.returned, spent: cell.spent, freed: cell.freed)
            })
    }
}

extension FleetCredit {
    package init(_ survey: String, _ account: CreditAccount, _ standing: [String: CreditStanding]) {
        self.init(survey: survey, begins: account.begins)
        for name in Set(account.cells.keys).union(standing.keys) { cells[name] = Cell(account[name], standing[name]) }
    }
}

extension CreditPool.Log {
    package init(_ key: FleetLogKey) { self.init(machine: key.machine, id: key.log) }
}

extension FleetLogKey {
    package init(_ log: CreditPool.Log) { self.init(machine: log.machine, log: log.id) }
}
