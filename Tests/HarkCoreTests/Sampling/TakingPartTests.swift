import HarkWire
import Testing

@testable import HarkCore

@Suite("Who takes part in a study")
struct TakingPartTests {
    private static let times = #""times": ["09:00", "12:00", "18:00"]"#
    private static let quarter = #""expireAfterSeconds": 900"#
    private static func missed(_ times: String...) -> [String] { times.map { "\($0) expired noPresenter" } }

    @Test("has the rest of the day of joining, and then as many full days as the study lasts")
    func rest() throws {
        var stage = try SamplingStage(Self.times + #", "forDays": 1"#, Self.quarter)
        stage.stage.now = try #require(Timestamp("2026-11-23T10:00:00Z"))
        try stage.join()
        try stage.pass(to: "2026-12-10T00:00:00Z")
        #expect(stage.rows == Self.missed("23 12:00", "23 18:00", "24 09:00", "24 12:00", "24 18:00"))
        #expect(stage.stage.presentations.compactMap(\.times.sampling?.day) == [0, 0, 1, 1, 1])
        #expect(stage.enrolment?.endReason == "over")
        #expect(stage.stage.events("study.joined").count == 1 && stage.stage.events("study.left").count == 1)
        #expect(stage.stage.engine.earliestDue == nil)
    }

    @Test("begins with the next day if the file says so")
    func nextDay() throws {
        var stage = try SamplingStage(Self.times + #", "forDays": 1, "firstDay": "next""#, Self.quarter)
        stage.stage.now = try #require(Timestamp("2026-11-23T10:00:00Z"))
        try stage.join()
        try stage.pass(to: "2026-12-10T00:00:00Z")
        #expect(stage.rows == Self.missed("24 09:00", "24 12:00", "24 18:00"))
    }

    @Test("may leave, which ends open prompts and brings no more, and may join again")
    func leaving() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        #expect(throws: WireError.self) { try stage.join() }
        try stage.pass(to: "2026-11-23T09:05:00Z")
        try stage.leave()
        #expect(stage.rows == ["23 09:00 cancelled left"])
        #expect(throws: WireError.self) { try stage.leave() }
        try stage.pass(to: "2026-11-23T11:00:00Z")
        try stage.join()
        try stage.pass(to: "2026-11-23T13:00:00Z")
        #expect(stage.rows == ["23 09:00 cancelled left"] + Self.missed("23 12:00"))
    }

    @Test("is excused while paused")
    func pausing() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.pause(until: Timestamp("2026-11-23T13:00:00Z"))
        try stage.pass(to: "2026-11-23T19:00:00Z")
        #expect(
            stage.rows == ["23 09:00 cancelled paused", "23 12:00 cancelled paused"] + Self.missed("23 18:00"))
        #expect(stage.stage.events("study.paused").count == 1)
    }

    @Test("joins by an event of theirs, a number of days before day 1, and is asked on the named days")
    func event() throws {
        var stage = try SamplingStage(
            #""times": ["12:00"], "begins": {"event": "discharge", "properties": {"ward": 3}, "afterDays": 1}, "#
                + #""onDays": [1, 3]"#, Self.quarter)
        try stage.stage.startSession("ada")
        try stage.stage.record("discharge", [("ward", .integer(2))])
        #expect(stage.enrolment == nil)
        try stage.stage.record("discharge", [("ward", .integer(3))])
        try stage.stage.record("discharge", [("ward", .integer(3))])
        try stage.pass(to: "2026-12-10T00:00:00Z")
        #expect(stage.rows == Self.missed("24 12:00", "26 12:00"))
    }

    @Test("joins by the event study.joined as well, with group and own hours, but not by that of another survey")
    func joined() throws {
        var stage = try SamplingStage(#""prompts": 2, "from": "09:00", "until": "21:00""#, Self.quarter)
        try stage.stage.record("study.joined", [("surveyId", .string("other"))], userId: "ada")
        #expect(stage.enrolment == nil)
        try stage.stage.record(
            "study.joined",
            [("surveyId", .string("mood")), ("group", .string("g1")), ("hours", .string("10:00-12:00"))],
            userId: "ada")
        #expect(stage.enrolment?.group == "g1" && stage.enrolment?.hours?.text == "10:00-12:00")
        #expect(stage.enrolment?.plan == "blocks 2 900 600-720")
    }

    @Test("has hours of their own from a form, if these can hold the prompts")
    func hours() throws {
        let schedule =
            #""prompts": 4, "from": "09:00", "until": "21:00", "gapSeconds": 3600, "#
            + #""hours": {"form": "setup", "from": "wake", "until": "sleep"}"#
        func plan(_ wake: String?, _ sleep: String) throws -> String? {
            var stage = try SamplingStage(schedule, Self.quarter)
            var state = FormState(startedAt: SamplingStage.start)
            if let wake { state.answers[ExactName("wake")] = FormAnswer(.text(wake), at: SamplingStage.start) }
            state.answers[ExactName("sleep")] = FormAnswer(.text(sleep), at: SamplingStage.start)
            stage.stage.disk.forms[SamplingStage.ada] = [ExactName("setup"): state]
            try stage.join()
            return stage.enrolment?.plan
        }
        #expect(try plan("07:30", "23:00") == "blocks 4 3600 450-1380")
        #expect(try plan("22:00", "06:00") == "blocks 4 3600 1320-1800")
        #expect(try plan("08:00", "09:00") == "blocks 4 3600 540-1260", "too short")
        #expect(try plan(nil, "23:00") == "blocks 4 3600 540-1260")
        var stage = try SamplingStage(schedule, Self.quarter)
        #expect(throws: WireError.self) { try stage.join(hours: "08:00-09:00") }
    }

    @Test("has day 1 counted from a date in a form, or from a date that is the same for all")
    func dates() throws {
        var stage = try SamplingStage(
            #""times": ["12:00"], "onDays": [1, 2], "begins": {"form": "setup", "answer": "dose", "afterDays": 3}"#,
            Self.quarter)
        #expect(throws: WireError.self) { try stage.join() }
        var state = FormState(startedAt: SamplingStage.start)
        state.answers[ExactName("dose")] = FormAnswer(.text("2026-11-22"), at: SamplingStage.start)
        stage = try SamplingStage(
            #""times": ["12:00"], "onDays": [1, 2], "begins": {"form": "setup", "answer": "dose", "afterDays": 3}"#,
            Self.quarter)
        stage.stage.disk.forms[SamplingStage.ada] = [ExactName("setup"): state]
        try stage.join()
        try stage.pass(to: "2026-12-10T00:00:00Z")
        #expect(stage.rows == Self.missed("25 12:00", "26 12:00"))
        stage = try SamplingStage(#""times": ["12:00"], "forDays": 1, "begins": {"date": "2026-11-28"}"#, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-12-10T00:00:00Z")
        #expect(stage.rows == Self.missed("28 12:00"))
    }

    @Test("is everybody if the file says so, once")
    func everybody() throws {
        var stage = try SamplingStage(Self.times + #", "participants": "everybody""#, Self.quarter)
        let user = UserKey(uid: Stage.uid, userId: nil)
        for _ in 0..<2 {
            stage.stage.disk.bring(
                .participant(user, survey: "mood", in: stage.stage.scope), to: &stage.stage.engine)
            stage.stage.engine.joinForEverybody(
                user, in: stage.stage.scope, now: stage.stage.now, into: &stage.stage.changes)
            stage.stage.step()
        }
        try stage.pass(to: "2026-11-23T13:00:00Z")
        #expect(stage.rows == Self.missed("23 09:00", "23 12:00"))
    }

    @Test("shares the plan of their group, and not that of another group")
    func groups() throws {
        let members = #""prompts": 3, "from": "09:00", "until": "21:00", "planFor": "group""#
        var stage = try SamplingStage(members)
        let (bob, eve) = (UserKey(uid: Stage.uid, userId: "bob"), UserKey(uid: Stage.uid, userId: "eve"))
        let ada = try stage.join(group: "one")
        #expect(try stage.join(bob, group: "one").prompts == ada.prompts)
        #expect(try stage.join(eve, group: "two").prompts != ada.prompts)
    }

    @Test("gets no more prompts after a clear")
    func cleared() throws {
        var stage = try SamplingStage(Self.times, Self.quarter)
        try stage.join()
        try stage.pass(to: "2026-11-23T09:05:00Z")
        stage.stage.clear(.user("ada"))
        try stage.pass(to: "2026-11-25T00:00:00Z")
        #expect(stage.rows == [] && stage.enrolment == nil)
    }
}
