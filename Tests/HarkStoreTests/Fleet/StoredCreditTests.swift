import HarkCore
import HarkTesting
import HarkWire
import Testing

@testable import HarkStore

/// The credits that a hub has dealt for quotas, and the credits of a machine.
@Suite struct StoredCreditTests {
    private let store: StoreUnderTest

    init() throws { store = try StoreUnderTest() }

    private static func log(_ number: Int) -> CreditPool.Log {
        CreditPool.Log(machine: "m\(number)", id: Identifier(high: 1, low: 1))
    }

    private static func holder(_ begins: Timestamp?, dealt: Int, until: Int64 = 9) -> CreditPool.Holder {
        CreditPool.Holder(
            account: CreditAccount(
                begins: begins,
                cells: ["": .init(dealt: dealt, returned: 1, spent: 2, freed: 1), "größe": .init(dealt: 1)]),
            until: Timestamp(milliseconds: until))
    }

    private func put(_ survey: String, _ number: Int, _ holder: CreditPool.Holder) throws {
        try store.commit(rows: [
            .other(FleetCreditRow.put(survey: survey, Self.log(number), holder)),
            .other(FleetCreditRow.keepPeriods(survey: survey)),
        ])
    }

    @Test("what was dealt is there as it was, by survey, period, machine and log")
    func pools() throws {
        let day = Timestamp(milliseconds: 86_400_000)
        try put("a", 1, Self.holder(nil, dealt: 5))
        try put("a", 2, Self.holder(nil, dealt: 6, until: 20))
        try put("a", 1, Self.holder(day, dealt: 7))
        try put("b", 1, Self.holder(nil, dealt: 8))
        try put("a", 1, Self.holder(nil, dealt: 9))
        try store.reopen()
        let pool = try store.reader.creditPool(of: "a", begins: nil)
        #expect(
            pool.holders == [
                Self.log(1): Self.holder(nil, dealt: 9), Self.log(2): Self.holder(nil, dealt: 6, until: 20),
            ])
        #expect(pool.standing(["": 20])[""] == CreditStanding(limit: 20, used: 2, held: 13))
        #expect(try store.reader.creditPool(of: "a", begins: day).holders.values.map { $0.account[""].dealt } == [7])
        #expect(try store.reader.creditHolders(until: Timestamp(milliseconds: 10)) == [Self.log(2)])
    }

    @Test("the latest periods are kept, and what has none")
    func periods() throws {
        try put("a", 1, Self.holder(nil, dealt: 5))
        for day in 1...6 { try put("a", 1, Self.holder(Timestamp(milliseconds: Int64(day) * 86_400_000), dealt: day)) }
        func dealt(_ day: Int) throws -> Int {
            try store.reader.creditPool(of: "a", begins: Timestamp(milliseconds: Int64(day) * 86_400_000)).holders.count
        }
        #expect(try (1...6).filter { try dealt($0) > 0 } == Array(7 - CreditBook.periods...6))
        #expect(try store.reader.creditPool(of: "a", begins: nil).holders.count == 1)
    }

    @Test("the accounts of a machine are there as they were, until the log is another one")
    func accounts() throws {
        let accounts = [
            CreditAccount(begins: Timestamp(milliseconds: 7), cells: ["": .init(dealt: 3, spent: 1)]),
            CreditAccount(cells: ["": .init(dealt: 2), "pro": .init(dealt: 1, returned: 1, spent: 0, freed: 0)]),
        ]
        try store.commit(rows: [.survey(.putCredits(accounts, survey: "a"))])
        try store.reopen()
        let read = try #require(try store.reader.credits()[ExactName("a")])
        #expect(read.sorted { $0.cells.count < $1.cells.count } == accounts)
        try store.commit(rows: [.survey(.forgetCredits)])
        #expect(try store.reader.credits().isEmpty)
    }
}
