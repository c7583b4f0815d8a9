import HarkWire
import Testing

@testable import HarkCore

@Suite("Reminders of surveys that are ready")
struct RemindingTests {
    private static func stage(after: [Int64] = [300_000, 600_000], onReturn: Bool = false) throws -> Stage {
        var survey = Samples.survey { $0.expireAfter = Stage.hour }
        survey.reminders.after = after
        survey.reminders.onReturn = onReturn
        var stage = Stage([survey])
        try stage.record("done")
        return stage
    }

    @Test("so many as there are to be, which is stored: a restart sends none twice, and none is an attempt")
    func counting() throws {
        var stage = try Self.stage()
        let id = stage.presentations[0].id
        #expect(stage.remind(id)?.reminders == 1)
        stage.restart()
        #expect(stage.offer()?.reminders == 1)
        #expect(stage.remind(id)?.reminders == 2)
        #expect(stage.remind(id) == nil)
        #expect(stage.presentations[0].times.reminders == 2 && stage.presentations[0].times.lastReminder == stage.now)
        #expect(stage.gating("rating").attempts == 0 && stage.events("survey_presented").isEmpty)
        let shown = try #require(try stage.presentNext())
        #expect(shown.id == id)
        var more = try Self.stage(onReturn: true)
        let other = more.presentations[0].id
        for number in 1...3 { #expect(more.remind(other)?.reminders == number) }
        #expect(more.remind(other) == nil)
    }

    @Test("the gaps between them are those of the file")
    func gaps() throws {
        var reminders = SurveyReminders()
        #expect(reminders.gap(after: 0) == nil)
        reminders.after = [300, 600, 1_000]
        #expect((0...3).map { reminders.gap(after: $0) } == [300, 300, 400, nil])
    }

    @Test("none while it is open, muted, quiet or over, nor once it was put off")
    func never() throws {
        for way in ["shown", "muted", "quiet", "expired", "put off", "answered"] {
            var stage = try Self.stage()
            let id = stage.presentations[0].id
            switch way {
            case "shown": try stage.present(id)
            case "muted": try stage.wish(Engine.WishOrder(mutedUntil: .latest))
            case "quiet": try stage.setQuiet(PersonalQuiet(hours: QuietHours(text: "10:00-13:00")))
            case "expired": stage.now = stage.now.adding(milliseconds: Stage.hour)
            case "put off":
                try stage.present(id)
                try stage.snooze(id, for: 1_000)
                stage.pass(1_000)
                #expect(stage.presentations(.ready).count == 1)
            default:
                try stage.present(id)
                try stage.answer(id, option: "Great")
            }
            #expect(stage.remind(id) == nil, "\(way)")
        }
    }

    @Test("what a file says of them is read, and refused where it means nothing")
    func reading() throws {
        let members = Samples.base + #", "response": {"type": "text"}"#
        let survey = try Samples.read(members + #", "remindAfterSeconds": [300, 600.5], "remindOnReturn": true"#).survey
        #expect(survey?.reminders.after == [300_000, 600_500] && survey?.reminders.onReturn == true)
        for wrong in ["[]", "[600, 300]", "[0]", #"["5m"]"#, "[1,2,3,4,5,6,7,8,9,10,11]", "300"] {
            let read = try Samples.read(members + #", "remindAfterSeconds": \#(wrong)"#)
            #expect(
                read.survey == nil && read.issues.errors.map(\.path) == ["$.surveys[0].remindAfterSeconds"], "\(wrong)")
        }
    }
}
