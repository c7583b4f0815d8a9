import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Credits of a fleet's quota")
struct CreditTests {
    static func survey(_ quota: String) throws -> Survey {
        let issues = IssueCollector()
        var reader = try #require(
            ObjectReader(.object(["quota": try Samples.json(quota)]), path: "$", issues: issues))
        var survey = Samples.survey { $0.oncePerSession = false }
        survey.quota = SurveyQuota.read(&reader)
        #expect(issues.issues.errors.isEmpty)
        return survey
    }

    static func fleet(_ quota: String, machines: Int, seed: Int = 1) throws -> CreditFleet {
        CreditFleet(try survey(quota), machines: machines, seed: seed)
    }

    /// Messages are stored and heard, by all connected machines.
    private static func settle(_ fleet: inout CreditFleet) throws {
        for _ in 0..<6 {
            fleet.commitHub()
            while !fleet.onTheWay.isEmpty { try fleet.deliver() }
        }
    }

    @Test("a hub that is set back while a machine that it has dealt to since is there deals nothing too much")
    func hubSetBack() throws {
        var fleet = try Self.fleet(#"{"answers":20}"#, machines: 4)
        fleet.isCalm = true
        func askAll() throws {
            for place in 0..<4 where fleet.machines[place].isHere {
                try fleet.ask(place, [])
                fleet.report(place)
            }
            try Self.settle(&fleet)
            for place in 0..<4 {
                try fleet.offer(place)
                while !fleet.machines[place].stage.engine.surveys.allShown.isEmpty {
                    try fleet.close(place, answering: true)
                }
                fleet.report(place)
            }
            try Self.settle(&fleet)
        }
        for place in 0..<4 { fleet.meet(place) }
        fleet.now = fleet.opensAt
        try askAll()
        for place in 0..<4 { fleet.sendRecords(place) }
        fleet.commitHub()
        let copy = fleet.disk
        for _ in 0..<3 { try askAll() }
        // One that has used something since is away.
        fleet.machines[3].isHere = false
        #expect(fleet.answers.count == 16 && fleet.used == 16, "\(fleet.used)")
        fleet.setBackHub(to: copy)
        try Self.settle(&fleet)
        #expect(fleet.recount.since != nil)
        fleet.now = fleet.now.adding(milliseconds: Stage.hour)
        try askAll()
        try askAll()
        #expect(fleet.blind == 0 && fleet.answers.count <= 20)
        #expect(fleet.recount.awaited == [fleet.log(3)])
        fleet.crashHub()
        fleet.startHub()
        try Self.settle(&fleet)
        #expect(fleet.recount.awaited == [fleet.log(3)], "also after a restart")
        fleet.machines[3].isHere = true
        fleet.meet(3)
        try Self.settle(&fleet)
        fleet.now = fleet.now.adding(milliseconds: Stage.day + 4_000)
        for _ in 0..<3 { try askAll() }
        #expect(fleet.recount.since == nil)
        #expect(fleet.answers.count == 20)
    }

    // MARK: A machine

    @Test("a machine asks for what it was dealt, once the hub has answered this run of it, and its lease lasts")
    func machine() throws {
        var fleet = try Self.fleet(#"{"answers":3}"#, machines: 1)
        fleet.isCalm = true
        fleet.now = fleet.opensAt
        func settle() throws { try Self.settle(&fleet) }
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
        #expect(told.hasSuffix(" of them to ask for, and 1 being asked"), "\(told)")
        try fleet.close(0, answering: true)
        #expect(fleet.machines[0].stage.disk.all.first { $0.id == shown.id }?.state == .answered)
        #expect(fleet.machines[0].stage.disk.quotas.isEmpty, "its own count is left alone")
        // After a restart it waits, even with credits.
        fleet.machines[0].stage.disk.credits[ExactName("rating")]?[0][""].dealt = 3
        fleet.restart(0)
        try fleet.ask(0, [])
        #expect(fleet.machines[0].stage.engine.surveys.allShown.isEmpty)
        fleet.meet(0)
        try settle()
        try fleet.offer(0)
        #expect(fleet.machines[0].stage.engine.surveys.allShown.count == 1)
        // The lease ends: the survey on the screen goes back.
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
        fleet.now = fleet.opensAt
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

    @Test("what its person is not to be asked for a while waits for no credit")
    func interval() throws {
        var configuration = SurveyConfiguration([try Self.survey(#"{"answers":5}"#)])
        (configuration.isFromHub, configuration.isFromAfar) = (true, true)
        var stage = Stage(configuration)
        stage.engine.setCredits(areDealt: true)
        let scopes = ["one", "two"].map { Scope(uid: Stage.uid, app: $0) }
        for scope in scopes {
            try stage.startSession("user of \(scope.app)", in: scope)
            try stage.record("done", [], in: scope)
        }
        #expect(stage.reports().map(\.wants) == [[[""]: 2]])
        stage.take(CreditAccount(cells: ["": .init(dealt: 5)]), [:], isRecalled: false)
        let shown = try stage.presentNext(in: scopes[0])
        #expect(shown != nil)
        #expect(stage.reports().map(\.wants) == [[[""]: 1]], "the account is not asked again for a week")
    }
}
