import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Credits of a fleet's quota")
struct CreditTests {
    private static func survey(_ quota: String) throws -> Survey {
        let issues = IssueCollector()
        var reader = try #require(
            ObjectReader(.object(["quota": try Samples.json(quota)]), path: "$", issues: issues))
        var survey = Samples.survey { $0.oncePerSession = false }
        survey.quota = SurveyQuota.read(&reader)
        #expect(issues.issues.errors.isEmpty)
        return survey
    }

    private static func fleet(_ quota: String, machines: Int, seed: Int = 1) throws -> CreditFleet {
        CreditFleet(try survey(quota), machines: machines, seed: seed)
    }

    private static func log(_ number: UInt64) -> Identifier { Identifier(high: number, low: number) }
    private static let all = QuotaCount.all

    // MARK: The pool

    private static func pool(_ wants: [[[String]: Int]]) -> CreditPool {
        var pool = CreditPool(begins: nil)
        for (number, wants) in wants.enumerated() {
            _ = pool.heard(
                log(UInt64(number)), "m\(number)", CreditAccount(), wants: wants, at: Stage.start, staleAfter: 1_000)
        }
        return pool
    }

    @Test("what is dealt never exceeds the limits; one after the other gets one")
    func deals() {
        var pool = Self.pool([[[""]: 5], [[""]: 5], [[""]: 1]])
        #expect(pool.deal(["": 6], among: 3, ahead: nil).count == 3)
        #expect((0..<3).map { pool.holders[Self.log($0)]?.account[""].dealt } == [3, 2, 1])
        #expect(pool.isWaiting)
        #expect(pool.deal(["": 6], among: 3, ahead: nil).isEmpty)
    }

    @Test("an event of a cell is dealt a place in each, or none")
    func cells() {
        var pool = Self.pool([[["", "pro"]: 1], [[""]: 1], [["", "pro"]: 1]])
        _ = pool.deal(["": 3, "pro": 1], among: 3, ahead: nil)
        let dealt = (0..<3).map { number in
            ["", "pro"].map { pool.holders[Self.log(UInt64(number))]?.account[$0].dealt ?? 0 }
        }
        #expect(dealt == [[1, 1], [1, 0], [0, 0]])
    }

    @Test("what is scarce is dealt to those where something waits; what is plenty, ahead as well")
    func ahead() {
        var pool = Self.pool([[:], [:]])
        #expect(pool.deal(["": 100], among: 2, ahead: Self.log(0)) == [Self.log(0)])
        #expect(pool.holders[Self.log(0)]?.account[""].dealt == 25)
        _ = pool.deal(["": 26], among: 50, ahead: Self.log(1))
        #expect(pool.holders[Self.log(1)]?.account[""].dealt == 0)
    }

    @Test("who holds what it does not need is asked for it, unless it is away or that would not help")
    func recall() {
        var pool = Self.pool([[:]])
        _ = pool.deal(["": 1], among: 1, ahead: Self.log(0))
        #expect(pool.holders[Self.log(0)]?.account[""].left == 1)
        _ = pool.heard(
            Self.log(2), "m2", CreditAccount(), wants: [["", "pro"]: 1], at: Stage.start, staleAfter: 1_000)
        let limits = ["": 1, "pro": 1]
        #expect(pool.recall(limits) { _ in true } == [Self.log(0)])
        #expect(pool.recall(limits) { _ in false }.isEmpty)
        #expect(pool.recall(["": 1, "pro": 0]) { _ in true }.isEmpty, "there is no place in the cell to be had")
    }

    @Test("what a machine says late, twice or in another order changes nothing")
    func merges() {
        var pool = Self.pool([[[""]: 2]])
        _ = pool.deal(["": 2], among: 1, ahead: nil)
        let reports = [
            CreditAccount(cells: ["": .init(dealt: 2, spent: 1)]), CreditAccount(cells: ["": .init(dealt: 1)]),
            CreditAccount(cells: ["": .init(dealt: 2, returned: 1, spent: 1)]),
        ]
        for report in reports + reports.reversed() {
            let heard = pool.heard(Self.log(0), "m", report, wants: [:], at: Stage.start, staleAfter: 1_000)
            #expect(!heard.isMore)
        }
        #expect(pool.standing(["": 2]) == ["": CreditStanding(limit: 2, used: 1, held: 1)])
        let more = pool.heard(
            Self.log(0), "m", CreditAccount(cells: ["": .init(dealt: 3)]), wants: [:], at: Stage.start, staleAfter: 1)
        #expect(more.isMore, "the hub has never dealt that")
    }

    @Test("what a machine holds that is silent for longer than its lease is free again")
    func lapse() {
        var pool = Self.pool([[[""]: 2], [[""]: 1]])
        _ = pool.deal(["": 2], among: 2, ahead: nil)
        #expect(pool.lapse(notHeardSince: Stage.start) { _ in ["": 1] }.isEmpty)
        let later = Stage.start.adding(milliseconds: 1)
        #expect(pool.lapse(notHeardSince: later) { $0 == Self.log(0) ? ["": 1] : [:] }.count == 2)
        #expect(pool.standing(["": 2])[""]?.held == 1, "whose answer is here has used it")
    }

    // MARK: A machine

    @Test("a machine asks for what it was dealt, once the hub has answered this run of it, and its lease lasts")
    func machine() throws {
        var fleet = try Self.fleet(#"{"answers":3}"#, machines: 2)
        fleet.isCalm = true
        func settle() throws {
            for _ in 0..<6 {
                fleet.commitHub()
                while !fleet.onTheWay.isEmpty { try fleet.deliver() }
            }
        }
        try fleet.ask(0, [])
        #expect(fleet.machines[0].stage.presentations.map(\.state) == [.ready], "it waits for a credit")
        let waiting = try CapTests.check(.quota, of: "rating", &fleet.machines[0].stage)
        #expect(waiting.contains("may not ask before it has heard from the hub"), "\(waiting)")
        fleet.meet(0)
        try settle()
        try fleet.offer(0)
        let shown = try #require(fleet.machines[0].stage.engine.surveys.allShown.first)
        let told = try CapTests.check(.quota, of: "rating", &fleet.machines[0].stage)
        #expect(told.hasPrefix("3 answers of the fleet: 0 are in, "), "\(told)")
        try fleet.close(0, answering: true)
        #expect(fleet.machines[0].stage.disk.all.first { $0.id == shown.id }?.state == .answered)
        #expect(fleet.machines[0].stage.disk.quotas.isEmpty, "its own count is left alone")
        // After a restart it waits, whatever it holds.
        fleet.machines[0].stage.disk.credits[ExactName("rating")]?[0][""].dealt = 3
        fleet.restart(0)
        try fleet.ask(0, [])
        #expect(fleet.machines[0].stage.engine.surveys.allShown.isEmpty)
        fleet.meet(0)
        try settle()
        try fleet.offer(0)
        #expect(fleet.machines[0].stage.engine.surveys.allShown.count == 1)
        // The lease ends: what is on the screen goes back.
        fleet.now = fleet.now.adding(milliseconds: CreditFleet.lease)
        fleet.sync(0)
        #expect(fleet.machines[0].stage.engine.surveys.allShown.isEmpty)
        try fleet.offer(0)
        #expect(fleet.machines[0].stage.engine.surveys.allShown.isEmpty)
    }

    @Test("a hub of an earlier version deals none, so the machine counts for itself; a file of its own does so always")
    func alone() throws {
        var stage = try Self.fleet(#"{"answers":1}"#, machines: 1).machines[0].stage
        stage.engine.setCredits(areDealt: false)
        try stage.record("done")
        try stage.answer(try #require(try stage.presentNext()).id, option: "Great")
        #expect(stage.disk.quotas[ExactName("rating")]?.answers == ["": 1])
        var own = Stage([try Self.survey(#"{"answers":1}"#)])
        own.engine.setCredits(areDealt: true)
        try own.record("done")
        #expect(try own.presentNext() != nil)
        #expect(own.reports().isEmpty)
    }

    @Test("an answer counts for the period in which it was asked")
    func periods() throws {
        var fleet = try Self.fleet(#"{"answers":5,"withinSeconds":86400}"#, machines: 1)
        fleet.isCalm = true
        try fleet.ask(0, [])
        fleet.meet(0)
        for _ in 0..<3 {
            fleet.commitHub()
            while !fleet.onTheWay.isEmpty { try fleet.deliver() }
        }
        try fleet.offer(0)
        let before = try #require(fleet.machines[0].stage.disk.credits[ExactName("rating")]?.first)
        fleet.now = fleet.now.adding(milliseconds: Stage.day)
        try fleet.close(0, answering: true)
        let accounts = try #require(fleet.machines[0].stage.disk.credits[ExactName("rating")])
        #expect(accounts.map { $0[""].used } == [1], "\(accounts)")
        #expect(accounts[0].begins == before.begins)
    }

    // MARK: The walk

    /// Half of the machines are away at any time; all are killed, set back and restarted now and then.
    private static func walk(_ fleet: inout CreditFleet, steps: Int, most: Int, cell: Int?) throws {
        func check(_ fleet: CreditFleet, _ step: Int) {
            let answers = fleet.answers
            #expect(answers.count <= most, "step \(step)")
            guard let cell else { return }
            let pro = fleet.machines.flatMap(\.stage.disk.all).filter {
                answers.contains($0.id) && $0.trigger["plan"] == .string("pro")
            }
            #expect(Set(pro.map(\.id)).count <= cell, "step \(step)")
        }
        for step in 0..<steps {
            let place = fleet.number(below: fleet.machines.count)
            let lost = fleet.machines[place].isLost
            switch fleet.number(below: 40) {
            case 0..<9 where !lost:
                try fleet.ask(place, [("plan", .string(fleet.chance(50) ? "pro" : "free"))])
                fleet.report(place)
            case 9..<14 where !lost: try fleet.close(place, answering: fleet.chance(70))
            case 14..<16 where !lost: try fleet.offer(place)
            case 16..<19 where !lost:
                fleet.machines[place].isHere.toggle()
                fleet.meet(place)
            case 19..<21 where !lost: fleet.meet(place)
            case 21..<23 where !lost: fleet.sendRecords(place)
            case 23 where !lost:
                fleet.restart(place)
                fleet.meet(place)
            case 24 where !lost: fleet.keepCopy(place)
            case 25 where !lost && fleet.chance(20): fleet.setBack(place)
            case 26 where fleet.chance(10):
                fleet.crashHub()
                fleet.startHub()
            case 27..<35: try fleet.deliver()
            case 35..<38: fleet.commitHub()
            default: fleet.now = fleet.now.adding(milliseconds: Int64(fleet.number(below: 60_000)))
            }
            if step % 50 == 0 { check(fleet, step) }
        }
        check(fleet, steps)
    }

    /// All are there, and answer what they are asked.
    private static func finish(_ fleet: inout CreditFleet, rounds: Int) throws {
        fleet.isCalm = true
        fleet.startHub()
        for place in fleet.machines.indices where !fleet.machines[place].isLost { fleet.machines[place].isHere = true }
        for place in fleet.machines.indices where !fleet.machines[place].isLost { fleet.meet(place) }
        for _ in 0..<4 {
            fleet.commitHub()
            while !fleet.onTheWay.isEmpty { try fleet.deliver() }
        }
        for _ in 0..<rounds {
            for place in fleet.machines.indices where !fleet.machines[place].isLost {
                try fleet.ask(place, [("plan", .string("free"))])
                fleet.meet(place)
            }
            for _ in 0..<4 {
                fleet.commitHub()
                while !fleet.onTheWay.isEmpty { try fleet.deliver() }
            }
            for place in fleet.machines.indices where !fleet.machines[place].isLost {
                try fleet.offer(place)
                while !fleet.machines[place].stage.engine.surveys.allShown.isEmpty {
                    try fleet.close(place, answering: true)
                }
            }
            fleet.now = fleet.now.adding(milliseconds: Stage.hour / 2)
        }
    }

    @Test(
        "50 machines, away half of the time, killed and set back: never 101 answers, and 100 within a day",
        arguments: 0..<8)
    func hundred(seed: Int) throws {
        var fleet = try Self.fleet(#"{"answers":100}"#, machines: 50, seed: seed)
        for place in fleet.machines.indices where place % 2 == 0 { fleet.machines[place].isHere = false }
        let began = fleet.now
        try Self.walk(&fleet, steps: 3_000, most: 100, cell: nil)
        let hasSetBack = Set(fleet.machines.map(\.log)).count
        try Self.finish(&fleet, rounds: 12)
        #expect(fleet.answers.count <= 100)
        #expect(fleet.now.milliseconds - began.milliseconds < Stage.day)
        // What a log held that was set back comes free with the end of its lease.
        let held = fleet.disk.pools[nil]?.standing(["": 100])[""]?.held ?? 0
        #expect(fleet.answers.count == 100 || held == 100 && hasSetBack > 0, "\(fleet.answers.count), \(held)")
    }

    @Test("cells, periods, evenly and machines that are lost: no period and no cell has too many", arguments: 0..<8)
    func parts(seed: Int) throws {
        let quota =
            #"{"answers":20,"cells":[{"name":"pro","where":"plan = pro","answers":7}]\#(seed % 2 == 0 ? #","withinSeconds":604800,"spread":true"# : "")}"#
        var fleet = try Self.fleet(quota, machines: 8, seed: seed)
        try Self.walk(&fleet, steps: 1_500, most: 20, cell: 7)
        fleet.machines[0].isLost = true
        fleet.machines[0].isHere = false
        try Self.walk(&fleet, steps: 500, most: 20, cell: 7)
        guard seed % 2 == 1 else { return }
        // What the lost one holds is free once its lease is over; the others have told what they have used.
        try Self.finish(&fleet, rounds: 0)
        fleet.now = fleet.now.adding(milliseconds: CreditFleet.lease * 2)
        try Self.finish(&fleet, rounds: 30)
        #expect(fleet.answers.count == 20)
    }
}
