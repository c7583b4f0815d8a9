package import HarkWire

/// The answers of a fleet's quota that a machine may collect in one period: its credits.
///
/// All four numbers of a cell only grow, so reports of a machine and its hub may be lost, repeated and come in any
/// order: the greater number is the newer one. Only the hub deals; only the machine returns and spends.
package struct CreditAccount: Sendable, Equatable {
    package struct Cell: Sendable, Equatable {
        package var dealt = 0
        /// Returned without an answer.
        package var returned = 0
        package var spent = 0
        /// Answers that were withdrawn.
        package var freed = 0

        package init(dealt: Int = 0, returned: Int = 0, spent: Int = 0, freed: Int = 0) {
            (self.dealt, self.returned) = (dealt, returned)
            (self.spent, self.freed) = (spent, freed)
        }

        /// The number of answers.
        package var used: Int { max(spent - freed, 0) }
        /// The number of answers, and of further answers that the machine may collect.
        package var held: Int { max(dealt - returned, used) }
        /// The number of further answers that the machine may collect.
        package var left: Int { max(dealt - returned - used, 0) }

        mutating func merge(_ other: Cell) {
            dealt = max(dealt, other.dealt)
            returned = max(returned, other.returned)
            spent = max(spent, other.spent)
            freed = max(freed, other.freed)
        }
    }

    /// The beginning of the period; nil: the quota has no periods.
    package var begins: Timestamp?
    /// By the name of the cell; `QuotaCount.all` is the whole quota.
    package var cells: [String: Cell]

    package init(begins: Timestamp? = nil, cells: [String: Cell] = [:]) {
        self.begins = begins
        self.cells = cells
    }

    package subscript(name: String) -> Cell {
        get { cells[name] ?? Cell() }
        set { cells[name] = newValue }
    }

    package mutating func merge(_ other: CreditAccount) {
        for (name, cell) in other.cells { self[name].merge(cell) }
    }

    /// The most credits of a period. A greater number is refused.
    package static let most = 1_000_000_000
}

/// The hub's last report of a cell of a quota.
package struct CreditStanding: Sendable, Equatable {
    /// The number of answers allowed by now.
    package let limit: Int
    /// The number of answers at all machines, as far as the hub knows.
    package let used: Int
    /// The number of answers, and of further answers that machines may collect.
    package let held: Int

    package init(limit: Int, used: Int, held: Int) {
        (self.limit, self.used, self.held) = (limit, used, held)
    }

    var isFull: Bool { used >= limit }
}

/// The credits of this machine.
package struct CreditBook: Sendable {
    /// Whether the surveys of a hub ask for credits. The hub of an earlier version deals none: then each machine counts for
    /// itself.
    package var isDealt = false
    /// The accounts of a survey: those of the latest periods, the newest last.
    private(set) var accounts: [ExactName: [CreditAccount]] = [:]
    /// The hub's reports since this daemon began. Credits are used only after a report: the store may have been set back to a
    /// state before they were spent.
    private var told: [ExactName: (begins: Timestamp?, standing: [String: CreditStanding])] = [:]
    /// The surveys whose lease has ended.
    private var ended: Set<ExactName> = []
    /// The periods in which the showings on screen began.
    private var periods: [Identifier: Timestamp] = [:]

    /// The most periods of a survey to keep: a clock may be set back. A period without a beginning counts as the latest.
    package static let periods = 3

    mutating func admit(_ stored: [ExactName: [CreditAccount]]) { accounts = stored }

    /// A copy without the data of the store.
    var restarted: CreditBook {
        var book = self
        book.accounts = [:]
        return book
    }

    func account(of survey: String, begins: Timestamp?) -> CreditAccount {
        accounts[ExactName(survey)]?.first { $0.begins == begins } ?? CreditAccount(begins: begins)
    }

    /// - Returns: all accounts of the survey.
    mutating func put(_ account: CreditAccount, of survey: String) -> [CreditAccount] {
        var all = accounts[ExactName(survey)] ?? []
        all.removeAll { $0.begins == account.begins }
        all.append(account)
        all = Array(all.sorted { $0.begins ?? .latest < $1.begins ?? .latest }.suffix(CreditBook.periods))
        accounts[ExactName(survey)] = all
        return all
    }

    mutating func forget() {
        accounts = [:]
        forgetWords()
    }

    /// No credits are used before the hub's next report.
    mutating func forgetWords() { told = [:] }

    mutating func tell(_ standing: [String: CreditStanding], of survey: String, begins: Timestamp?) {
        told[ExactName(survey)] = (begins, standing)
        ended.remove(ExactName(survey))
    }

    func standing(of survey: String, begins: Timestamp?) -> [String: CreditStanding] {
        told[ExactName(survey)].flatMap { $0.begins == begins ? $0.standing : nil } ?? [:]
    }

    mutating func end(_ survey: String) { ended.insert(ExactName(survey)) }

    func isUsable(_ survey: String) -> Bool { told[ExactName(survey)] != nil && !ended.contains(ExactName(survey)) }

    mutating func show(_ id: Identifier, in period: Timestamp?, keeping shown: Set<Identifier>) {
        periods = periods.filter { shown.contains($0.key) }
        periods[id] = period
    }

    func period(of id: Identifier) -> Timestamp? { periods[id] }
}
