import HarkWire
import Testing

@testable import HarkCore

@Suite("A schedule in a file")
struct ScheduleReadingTests {
    @Test(
        "is refused if it cannot be kept or contradicts itself",
        arguments: [
            (
                #""prompts": 6, "from": "09:00", "until": "10:00""#, "",
                "trigger.schedule.from: the window 09:00-10:00 is too short"
            ),
            (
                #""times": ["09:00"], "prompts": 2"#, "",
                #"trigger.schedule.prompts: has no meaning with "placing": "at""#
            ),
            (#""times": ["09:00", "08:00"]"#, "", "trigger.schedule.times: must be 1 to 100 times of day"),
            (#""placing": "free""#, "", "trigger.schedule: the member 'prompts' is missing"),
            (
                #""times": ["09:00"], "bursts": {"count": 2, "everyDays": 10}"#, "",
                "trigger.schedule.bursts: needs 'forDays'"
            ),
            (
                #""times": ["09:00"], "timeZone": "../etc/passwd""#, "",
                "trigger.schedule.timeZone: must be a name of tzdata"
            ),
            (#""times": ["09:00"], "begins": {}"#, "", "trigger.schedule.begins: must have one of"),
            (#""times": ["09:00"], "days": ["monday"]"#, "", "trigger.schedule.days: must be an array of mon"),
            (#""everySeconds": 299"#, "", "trigger.schedule.everySeconds: must be an integer from 300"),
            (#""times": ["09:00"], "onDays": [3, 2]"#, "", "trigger.schedule.onDays: must be numbers of days"),
            (#""times": ["09:00"]"#, #""oncePerUser": true"#, "oncePerUser: contradicts the schedule"),
            (
                #""times": ["09:00"], "forDays": 90"#, #""keepAnswersSeconds": 2592000"#,
                "keepAnswersSeconds: is shorter than the study, which takes 90 days"
            ),
        ])
    func refused(_ schedule: String, _ more: String, _ words: String) throws {
        let issues = try SamplingStage.issues(schedule, more)
        #expect(issues.contains { $0.hasPrefix(words) }, "\(issues)")
    }

    @Test("is needed for members that are about one")
    func without() throws {
        let document = #"""
            {"surveys": [{"id": "s", "title": "T", "message": "M", "options": ["A"], "whenAway": "wait",
             "trigger": {"event": {"name": "e"}}}]}
            """#
        let issues = SurveyConfiguration.read(try JSONDocument(Array(document.utf8), .json).value).issues
        #expect(issues.errors.map(\.path) == ["$.surveys[0].whenAway"])
    }

    @Test("is read from the file")
    func read() throws {
        let configuration = try SamplingStage.read(
            SamplingStage.document(
                """
                "days": ["mon", "fri"], "from": "09:00", "until": "21:00", "prompts": 6, "placing": "blocks", \
                "gapSeconds": 1800, "forDays": 7, "bursts": {"count": 4, "everyDays": 90}, "seed": "s1", \
                "hours": {"form": "setup", "from": "wake", "until": "sleep"}, "timeZone": "Europe/Berlin", "firstDay": "next"
                """,
                #""expireAfterSeconds": 900, "finishWithinSeconds": 600, "remindAfterSeconds": [300], "whenAway": "next""#
            ))
        let schedule = try #require(configuration.survey("mood")?.trigger.schedule)
        #expect(schedule.plan.text == "blocks 6 1800 540-1260")
        #expect(schedule.calendar.weekdays == [true, false, false, false, true, false, false])
        #expect(schedule.calendar.bursts == 4 && schedule.calendar.burstEvery == 90 && schedule.calendar.forDays == 7)
        #expect(schedule.seed == "s1" && schedule.timeZone == "Europe/Berlin" && !schedule.takesRest)
        #expect(schedule.hours?.form == "setup" && schedule.whenAway == .next && schedule.finishWithin == 600_000)
        #expect(configuration.survey("mood")?.trigger.event == "study.joined")
    }

    @Test("has a participant read back from the store unchanged")
    func packing() throws {
        var stage = try SamplingStage(#""prompts": 6, "from": "09:00", "until": "21:00""#)
        let joined = try stage.join(group: "g", hours: "08:00-22:00")
        #expect(stage.enrolment == joined)
        #expect(joined.isPlanned && joined.prompts.count == 6)
        try stage.pause(until: .latest)
        #expect(stage.enrolment?.pausedUntil == .latest)
    }
}
