import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("A plan, whatever happens meanwhile")
struct PlanChangeTests {
    private static let six = #""prompts": 6, "from": "09:00", "until": "21:00", "gapSeconds": 1800, "seed": "s""#
    private static let quarter = #""expireAfterSeconds": 900"#

    private func planned(_ stage: SamplingStage) -> [Int64] {
        stage.stage.presentations.compactMap { $0.times.sampling == nil ? nil : $0.times.planned }.map {
            $0.milliseconds / 1_000
        }
    }

    @Test("stays if texts are edited, and changes from the next day on if it is edited itself")
    func editing() throws {
        var stage = try SamplingStage(Self.six, Self.quarter)
        let first = try stage.join().prompts
        try stage.pass(to: "2026-11-23T13:00:00Z")
        try stage.edit(Self.six, Self.quarter + #", "notification": {"title": "Other", "body": "words"}"#)
        try stage.pass(to: "2026-11-23T15:00:00Z")
        try stage.edit(#""times": ["10:00"]"#, Self.quarter)
        try stage.pass(to: "2026-11-24T23:00:00Z")
        #expect(Array(planned(stage).prefix(6)) == first)
        #expect(stage.rows.suffix(1) == ["24 10:00 expired noPresenter"] && stage.rows.count == 7)
    }

    @Test("ends with the survey, and later prompts have no row")
    func removed() throws {
        var stage = try SamplingStage(Self.six, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-11-23T13:00:00Z")
        let count = stage.rows.count
        stage.stage.configure(SurveyConfiguration([]))
        try stage.pass(to: "2026-11-25T13:00:00Z")
        #expect(stage.rows.count == count && stage.enrolment?.endReason == "surveyRemoved")
    }

    @Test("comes on days that the file names later, although a later day was waited for")
    func days() throws {
        var stage = try SamplingStage(#""times": ["09:00"], "days": ["fri"]"#, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-11-24T13:00:00Z")
        try stage.edit(#""times": ["09:00"], "days": ["wed", "fri"]"#, Self.quarter)
        try stage.pass(to: "2026-11-27T10:00:00Z")
        #expect(stage.rows == ["25 09:00 expired noPresenter", "27 09:00 expired noPresenter"])
        try stage.edit(#""times": ["09:00"], "days": ["mon"]"#, Self.quarter)
        try stage.pass(to: "2026-11-30T09:01:00Z")
        #expect(stage.rows.dropFirst(2) == ["30 09:00 ready"])
    }

    @Test(
        "loses and doubles no prompt over crashes at any moment, clocks set back and forward, and long sleep",
        arguments: 0..<12)
    func walk(_ number: UInt64) throws {
        let seed = UInt64.random(in: 0...(1 << 32)) &+ number
        var random = SplitMix64(state: seed)
        var stage = try SamplingStage(
            Self.six, Self.quarter + #", "whenAway": "\#(["miss", "wait", "next"][random.below(3)])""#)
        try stage.join()
        let key = SamplingPlan.Key(seed: "s", survey: "mood", participant: "ada")
        for _ in 0..<60 {
            switch random.below(6) {
            case 0: stage.stage.restart()
            case 1:
                // A crash after decisions that are not committed.
                stage.stage.commitsEachStep = false
                stage.stage.pass(Int64(random.below(7_200_000)))
                stage.stage.commitsEachStep = true
                stage.stage.restart()
                stage.stage.fire()
            case 2: stage.stage.setClock(to: stage.stage.now.adding(milliseconds: -Int64(random.below(10_000_000))))
            case 3: stage.stage.setClock(to: stage.stage.now.adding(milliseconds: Int64(random.below(100_000_000))))
            case 4:
                if let open = stage.open, open.state == .ready { try stage.notify(open.id) }
            default: stage.stage.pass(Int64(random.below(20_000_000)))
            }
        }
        stage.stage.pass(2 * Stage.day)
        let last = try #require(stage.enrolment?.date)
        var expected: [Int64] = []
        var date = SamplingDate("2026-11-23")!
        while date < last {
            let plan = SamplingPlan(.blocks(6), window: SamplingWindow(from: 540, until: 1_260), gap: 1_800)
            expected += plan.prompts(on: date, key, in: .utc)
            date = date.adding(1)
        }
        let found = planned(stage)
        #expect(Set(found).count == found.count, "one was doubled; seed \(seed)")
        #expect(Array(found.sorted().prefix(expected.count)) == expected, "one is missing; seed \(seed)")
    }

    @Test("keeps today's times in another zone if they lie in the window there, and plans tomorrow by that zone")
    func travel() throws {
        var stage = try SamplingStage(Self.six, Self.quarter)
        let place = Place()
        var clock = ShowingClock()
        clock.zone = { place.isThere ? "Asia/Tokyo" : "Etc/UTC" }
        stage.stage.engine.setShowingClock(clock)
        stage.stage.engine.zone = LocalZone { _ in place.isThere ? 9 * 3_600_000 : 0 }
        let today = try stage.join().prompts
        try stage.pass(to: "2026-11-23T11:30:00Z")
        place.isThere = true
        try stage.pass(to: "2026-11-24T14:59:00Z")
        let rows = stage.stage.presentations.filter { $0.times.sampling != nil }
        #expect(Array(planned(stage).prefix(6)) == today)
        // The window ends at 21:00 there, which is 12:00 UTC.
        for row in rows.prefix(6) {
            let isLate = try #require(row.times.planned) > Timestamp("2026-11-23T12:00:00Z")!
            #expect((row.reason == "zone") == isLate)
        }
        let key = SamplingPlan.Key(seed: "s", survey: "mood", participant: "ada")
        let plan = SamplingPlan(.blocks(6), window: SamplingWindow(from: 540, until: 1_260), gap: 1_800)
        let there = LocalZone { _ in 9 * 3_600_000 }
        #expect(Array(planned(stage).dropFirst(6)) == plan.prompts(on: SamplingDate("2026-11-24")!, key, in: there))
        #expect(stage.stage.events("study.zone").count == 1)
    }

    /// The place of the machine, which the test changes.
    private final class Place: @unchecked Sendable {
        var isThere = false
    }

    @Test("waits while the clock is not believed")
    func doubt() throws {
        var stage = try SamplingStage(#""times": ["09:00"]"#, Self.quarter)
        try stage.join()
        stage.stage.now = stage.stage.now.adding(milliseconds: 40 * Stage.day)
        stage.stage.engine.clockLag = 40 * Stage.day
        stage.stage.fire()
        #expect(stage.rows == [])
    }
}
