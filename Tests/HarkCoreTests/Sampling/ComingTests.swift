import HarkWire
import Testing

@testable import HarkCore

@Suite("A prompt of a schedule")
struct ComingTests {
    private static let times = #""times": ["09:00", "12:00", "18:00"]"#
    private static let quarter = #""expireAfterSeconds": 900"#

    @Test("comes at each of its times, and ends without an answer if nothing shows it")
    func comes() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:05:00Z")
        #expect(stage.rows == ["23 09:00 ready"])
        try stage.pass(to: "2026-11-24T08:00:00Z")
        #expect(
            stage.rows == ["23 09:00", "23 12:00", "23 18:00"].map { "\($0) expired noPresenter" })
    }

    @Test("is answered day after day, as the limits of other surveys do not hold for it")
    func answered() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.stage.startSession("ada")
        for day in 23...24 {
            for hour in ["09", "12", "18"] {
                try stage.pass(to: "2026-11-\(day)T\(hour):01:00Z")
                let shown = try #require(try stage.stage.presentNext())
                try stage.stage.answer(shown.id, option: "Good")
            }
        }
        #expect(stage.rows.count == 6 && stage.rows.allSatisfy { $0.hasSuffix("answered") })
        let places = stage.stage.presentations.compactMap(\.times.sampling)
        #expect(places.map(\.day) == [1, 1, 1, 2, 2, 2] && places.map(\.prompt) == [1, 2, 3, 1, 2, 3])
        #expect(places.allSatisfy { $0.occasion == .fixed })
    }

    @Test("that was missed while the machine was off is a row, and at most the latest one comes")
    func off() throws {
        var stage = try SamplingStage(Self.times, #""expireAfterSeconds": 7200, "whenAway": "wait""#)
        try stage.join()
        try stage.skip(to: "2026-11-24T12:30:00Z")
        #expect(
            stage.rows == [
                "23 09:00 expired off", "23 12:00 expired off", "23 18:00 expired off", "24 09:00 expired off",
                "24 12:00 ready",
            ])
        // A schedule that does not wait misses the latest one as well.
        stage = try SamplingStage(Self.times, #""expireAfterSeconds": 7200"#)
        try stage.join()
        try stage.skip(to: "2026-11-23T12:30:00Z")
        #expect(stage.rows == ["23 09:00 expired off", "23 12:00 expired off"])
    }

    @Test("has a row even if the daemon did not run for a year")
    func year() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.skip(to: "2027-11-23T07:00:00Z")
        #expect(stage.rows.count == 3 * 365)
        #expect(Set(stage.stage.presentations.map(\.id)).count == 3 * 365)
    }

    @Test("is missed, with the reason, if its person is away and it does not wait")
    func away() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:00:01Z")
        try stage.away(try #require(stage.open?.id))
        #expect(stage.rows == ["23 09:00 expired locked"])
    }

    @Test("that waits can be answered from its notification on, and has the reason if it never comes")
    func waits() throws {
        var stage = try SamplingStage(Self.times, Self.quarter + #", "whenAway": "wait""#)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:00:01Z")
        try stage.away(try #require(stage.open?.id), .idle)
        try stage.pass(to: "2026-11-23T09:10:00Z")
        try stage.notify(try #require(stage.open?.id))
        try stage.pass(to: "2026-11-23T09:24:59Z")
        #expect(stage.rows == ["23 09:00 ready"])
        try stage.pass(to: "2026-11-23T09:25:00Z")
        #expect(stage.rows == ["23 09:00 expired ignored"])
        try stage.pass(to: "2026-11-23T12:00:01Z")
        try stage.away(try #require(stage.open?.id), .doNotDisturb)
        try stage.pass(to: "2026-11-23T12:15:00Z")
        #expect(stage.rows.last == "23 12:00 expired doNotDisturb")
    }

    @Test("comes on return, as long as the day's window lasts and the next one has not come")
    func next() throws {
        var stage = try SamplingStage(
            #""placing": "free", "prompts": 2, "from": "09:00", "until": "21:00", "gapSeconds": 14400, "seed": "b""#,
            Self.quarter + #", "whenAway": "next""#)
        try stage.join()
        try stage.pass(to: "2026-11-23T20:59:00Z")
        #expect(stage.rows.count == 2)
        #expect(stage.rows.first?.hasSuffix("expired overtaken") == true)
        #expect(stage.rows.last?.hasSuffix("ready") == true)
        try stage.pass(to: "2026-11-23T21:15:00Z")
        #expect(stage.rows.last?.hasSuffix("expired noPresenter") == true)
    }

    @Test("that was opened in time can be finished")
    func finishing() throws {
        var stage = try SamplingStage(Self.times, Self.quarter + #", "finishWithinSeconds": 1200"#)
        try stage.join()
        try stage.stage.startSession("ada")
        try stage.pass(to: "2026-11-23T09:14:00Z")
        let shown = try #require(try stage.stage.presentNext())
        try stage.pass(to: "2026-11-23T09:33:00Z")
        #expect(stage.rows == ["23 09:00 presented"])
        try stage.stage.answer(shown.id, option: "Bad")
        #expect(stage.rows == ["23 09:00 answered"])
        try stage.pass(to: "2026-11-23T12:14:00Z")
        try stage.stage.presentNext()
        try stage.pass(to: "2026-11-23T12:34:00Z")
        #expect(stage.rows.last == "23 12:00 expired unfinished")
    }

    @Test("is missed at quiet hours, or waits for their end if it may")
    func quiet() throws {
        let hours = PersonalQuiet(hours: QuietHours(text: "08:00-09:10"))
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.stage.setQuiet(hours)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:12:00Z")
        #expect(stage.rows == ["23 09:00 expired quiet"])
        stage = try SamplingStage(Self.times, Self.quarter + #", "whenAway": "wait""#)
        try stage.stage.setQuiet(hours)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:05:00Z")
        #expect(stage.rows == ["23 09:00 scheduled"])
        try stage.pass(to: "2026-11-23T09:12:00Z")
        #expect(stage.rows == ["23 09:00 ready"])
    }

    @Test("does not come to a person who has muted the survey, and has a row all the same")
    func muted() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.stage.wish(Engine.WishOrder(mutedUntil: .latest), of: "mood")
        try stage.pass(to: "2026-11-23T19:00:00Z")
        #expect(stage.rows == ["23 09:00", "23 12:00", "23 18:00"].map { "\($0) cancelled muted" })
    }

    @Test("is sent to a hub, where it is the same")
    func told() throws {
        var stage = try SamplingStage(
            #""prompts": 2, "from": "09:00", "until": "21:00", "forDays": 3, "bursts": {"count": 2, "everyDays": 30}"#,
            Self.quarter + #", "whenAway": "wait""#)
        try stage.join(group: "couple 3")
        try stage.pass(to: "2026-11-23T20:00:00Z")
        if let open = stage.open { try stage.away(open.id, .idle) }
        try stage.pass(to: "2026-11-23T22:00:00Z")
        let closed = stage.stage.presentations.filter { !$0.state.isOpen }
        #expect(closed.count == 2)
        for presentation in closed {
            let told = Presentation(
                record: presentation.recordProperties, named: presentation.recordName, uid: presentation.user.uid)
            #expect(told == presentation)
            #expect(told?.times.sampling?.group == "couple 3" && told?.times.sampling?.burst == 1)
        }
    }
}
