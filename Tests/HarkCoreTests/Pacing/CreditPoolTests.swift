import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("What a hub deals of a quota")
struct CreditPoolTests {
    private static func log(_ number: UInt64) -> CreditPool.Log {
        CreditPool.Log(machine: "m\(number)", id: Identifier(high: number, low: number))
    }

    private static func pool(_ wants: [[[String]: Int]]) -> CreditPool {
        var pool = CreditPool(begins: nil)
        for (number, wants) in wants.enumerated() {
            _ = pool.heard(log(UInt64(number)), CreditAccount(), wants: wants, at: Stage.start, lease: 8_000)
        }
        return pool
    }

    @Test("what is dealt never exceeds the limits; one after the other gets one")
    func deals() {
        var pool = Self.pool([[[""]: 5], [[""]: 5], [[""]: 1]])
        #expect(pool.deal(["": 6], among: 3, ahead: []).count == 3)
        #expect((0..<3).map { pool.holders[Self.log($0)]?.account[""].dealt } == [3, 2, 1])
        #expect(pool.isWaiting)
        #expect(pool.deal(["": 6], among: 3, ahead: []).isEmpty)
    }

    @Test("an event of a cell is dealt a place in each, or none")
    func cells() {
        var pool = Self.pool([[["", "pro"]: 1], [[""]: 1], [["", "pro"]: 1]])
        _ = pool.deal(["": 3, "pro": 1], among: 3, ahead: [])
        let dealt = (0..<3).map { number in
            ["", "pro"].map { pool.holders[Self.log(UInt64(number))]?.account[$0].dealt ?? 0 }
        }
        #expect(dealt == [[1, 1], [1, 0], [0, 0]])
    }

    @Test("what is scarce is dealt to those where something waits; what is plenty, ahead as well")
    func ahead() {
        var pool = Self.pool([[:], [:]])
        #expect(pool.deal(["": 100], among: 2, ahead: [Self.log(0)]) == [Self.log(0)])
        #expect(pool.holders[Self.log(0)]?.account[""].dealt == 25)
        _ = pool.deal(["": 26], among: 50, ahead: [Self.log(1)])
        #expect(pool.holders[Self.log(1)]?.account[""].dealt == 0)
    }

    @Test("who holds what it does not need is asked for it, unless it is away or that would not help")
    func recall() {
        var pool = Self.pool([[:]])
        _ = pool.deal(["": 1], among: 1, ahead: [Self.log(0)])
        #expect(pool.holders[Self.log(0)]?.account[""].left == 1)
        _ = pool.heard(Self.log(2), CreditAccount(), wants: [["", "pro"]: 1], at: Stage.start, lease: 8_000)
        let limits = ["": 1, "pro": 1]
        var recalled = pool.recall(["": 1, "pro": 0]) { _ in true }
        #expect(recalled.isEmpty, "there is no place in the cell to be had")
        recalled = pool.recall(limits) { _ in false }
        #expect(recalled.isEmpty, "it is away")
        recalled = pool.recall(limits) { _ in true }
        #expect(recalled == [Self.log(0)])
        #expect(pool.isUnsettled)
        recalled = pool.recall(limits) { _ in true }
        #expect(recalled.isEmpty, "it was asked before")
        pool.forgetRecalls()
        recalled = pool.recall(limits) { _ in true }
        #expect(recalled == [Self.log(0)])
        let account = CreditAccount(cells: ["": .init(dealt: 1, returned: 1)])
        _ = pool.heard(Self.log(0), account, wants: [:], at: Stage.start, lease: 8_000)
        _ = pool.deal(limits, among: 2, ahead: [])
        #expect(pool.holders[Self.log(2)]?.account["pro"].left == 1)
    }

    @Test("what a machine says late, twice or in another order changes nothing")
    func merges() {
        var pool = Self.pool([[[""]: 2]])
        _ = pool.deal(["": 2], among: 1, ahead: [])
        let reports = [
            CreditAccount(cells: ["": .init(dealt: 2, spent: 1)]), CreditAccount(cells: ["": .init(dealt: 1)]),
            CreditAccount(cells: ["": .init(dealt: 2, returned: 1, spent: 1)]),
        ]
        for report in reports + reports.reversed() {
            let heard = pool.heard(Self.log(0), report, wants: [:], at: Stage.start, lease: 8_000)
            #expect(!heard.isMore)
        }
        #expect(pool.standing(["": 2]) == ["": CreditStanding(limit: 2, used: 1, held: 1)])
        let more = pool.heard(
            Self.log(0), CreditAccount(cells: ["": .init(dealt: 3)]), wants: [:], at: Stage.start, lease: 8_000)
        #expect(more.isMore, "the hub has never dealt that")
    }

    @Test("what a machine holds that is silent for longer than its lease is free again")
    func lapse() {
        var pool = Self.pool([[[""]: 2], [[""]: 1]])
        _ = pool.deal(["": 2], among: 2, ahead: [])
        // A shorter lease than it was told of takes nothing from it.
        let report = CreditAccount(cells: ["": .init(dealt: 1)])
        _ = pool.heard(Self.log(0), report, wants: [[""]: 2], at: Stage.start, lease: 1_000)
        let end = Stage.start.adding(milliseconds: 9_000)
        #expect(pool.lapse(at: end) { _ in ["": 1] }.isEmpty)
        let lapsed = pool.lapse(at: end.adding(milliseconds: 1)) { $0 == Self.log(0) ? ["": 1] : [:] }
        #expect(lapsed.count == 2)
        #expect(pool.standing(["": 2])[""]?.held == 1, "whose answer is here has used it")
    }

    @Test("whatever a machine says, no more than there is gets dealt, and a long list of wishes is cut")
    func liar() {
        var pool = Self.pool([[["", "", "pro", "pro"]: 3], [[""]: 1_000, ["pro", ""]: 1_000]])
        let all = CreditAccount(cells: [
            "": .init(dealt: 1, returned: CreditAccount.most, spent: 0, freed: CreditAccount.most)
        ])
        _ = pool.heard(Self.log(2), all, wants: [["", ""]: 1], at: Stage.start, lease: 8_000)
        #expect(pool.holders[Self.log(1)]?.wants.values.reduce(0, +) == CreditPool.mostAhead)
        let limits = ["": 4, "pro": 1]
        _ = pool.deal(limits, among: 3, ahead: [])
        for (name, standing) in pool.standing(limits) {
            #expect(standing.held <= standing.limit, "\(name)")
            let dealt = (0..<2).reduce(0) { $0 + (pool.holders[Self.log(UInt64($1))]?.account[name].dealt ?? 0) }
            #expect(dealt <= standing.limit, "\(name)")
        }
        let more = CreditAccount(cells: ["": .init(dealt: CreditAccount.most, spent: CreditAccount.most)])
        _ = pool.heard(Self.log(3), more, wants: [[""]: 1], at: Stage.start, lease: 8_000)
        #expect(pool.deal(limits, among: 3, ahead: [Self.log(0)]).isEmpty)
    }

    @Test("a disk that was copied to another machine holds nothing of what the first was dealt")
    func copied() {
        var pool = Self.pool([[[""]: 2]])
        _ = pool.deal(["": 3], among: 1, ahead: [])
        let other = CreditPool.Log(machine: "other", id: Self.log(0).id)
        _ = pool.heard(other, CreditAccount(), wants: [[""]: 2], at: Stage.start, lease: 8_000)
        _ = pool.deal(["": 3], among: 2, ahead: [])
        #expect(pool.holders[Self.log(0)]?.account[""].dealt == 2 && pool.holders[other]?.account[""].dealt == 1)
    }

    @Test("the credits of a quota that has no periods any more are kept beside those of periods")
    func withoutPeriods() {
        var book = CreditBook()
        for day in 0..<5 {
            _ = book.put(CreditAccount(begins: Timestamp(milliseconds: Int64(day) * Stage.day)), of: "a")
        }
        let kept = book.put(CreditAccount(cells: ["": .init(dealt: 2, spent: 1)]), of: "a")
        #expect(kept.count == CreditBook.periods)
        #expect(book.account(of: "a", begins: nil)[""].left == 1)
    }

    @Test("a hub that was set back deals nothing before all have told what they hold, and a day is over without news")
    func recounts() {
        let lease = 30 * Stage.day
        var recount = CreditRecount()
        func later(_ milliseconds: Int64) -> Timestamp { Stage.start.adding(milliseconds: milliseconds) }
        func mayDeal(after milliseconds: Int64) -> Bool {
            recount.mayDeal(at: later(milliseconds), lease: lease)
        }
        #expect(mayDeal(after: 0))
        recount.heard(Self.log(1))
        recount.begin(since: Stage.start, by: "m0", awaiting: [Self.log(1), Self.log(2)], at: Stage.start)
        #expect(recount.awaited == [Self.log(2)], "one had told before")
        #expect(!mayDeal(after: 2 * Stage.day))
        recount.heard(Self.log(2))
        recount.learned(at: later(2 * Stage.day))
        #expect(!mayDeal(after: 3 * Stage.day), "one that was not known has told of more")
        #expect(mayDeal(after: 3 * Stage.day + 1))
        #expect(recount.since == nil && recount.machine == nil)
        // One never comes back.
        recount.begin(since: Stage.start, by: nil, awaiting: [Self.log(3)], at: later(Stage.day))
        #expect(!mayDeal(after: CreditPool.patience(lease)))
        #expect(mayDeal(after: CreditPool.patience(lease) + 1))
    }
}
