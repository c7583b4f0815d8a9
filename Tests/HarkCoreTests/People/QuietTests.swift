import HarkWire
import Testing

@testable import HarkCore

/// Surveys at hours at which nobody may be asked. The clock begins at 11:00 on a Saturday, in UTC.
@Suite("Quiet hours")
struct QuietTests {
    private static func quiet(_ text: String, alarms: Bool = false) throws -> PersonalQuiet {
        let hours: QuietHours = try #require(QuietHours(text: text))
        return PersonalQuiet(hours: hours, allowsAlarms: alarms)
    }

    private static func survey(
        _ id: String = "rating", event: String = "done", delay: Int64 = 0, hours: String? = nil, drops: Bool = false,
        isAlarm: Bool = false
    ) throws -> Survey {
        var survey = Samples.survey(id, event: event, delay: delay) {
            $0.oncePerSession = false
            $0.expireAfter = 2 * Stage.hour
        }
        survey.quiet.hours = try hours.map { try #require(QuietHours(text: $0)) }
        survey.quiet.drops = drops
        survey.quiet.isAlarm = isAlarm
        return survey
    }

    @Test(
        "what comes at a quiet time waits for its end, by one timer, over a restart: at once, after a delay, and put off"
    )
    func waiting() throws {
        for way in ["at once", "after a delay", "put off", "while it was ready", "shown and given back"] {
            let early = way == "while it was ready" || way == "shown and given back"
            var stage = Stage([try Self.survey(delay: way == "after a delay" ? Stage.hour : 0)])
            if !early { try stage.setQuiet(try Self.quiet("10:00-13:00")) }
            if way == "put off" { try stage.setQuiet(PersonalQuiet()) }
            try stage.record("done")
            if way == "put off" {
                try stage.snooze(try #require(try stage.presentNext()).id, for: Stage.hour)
                try stage.setQuiet(try Self.quiet("10:00-13:00"))
            }
            if early {
                let shown = way == "shown and given back" ? try stage.presentNext() : nil
                try stage.setQuiet(try Self.quiet("10:00-13:00"))
                if let shown { try stage.release(shown.id) }
                #expect(stage.offer() == nil)
                stage.hold()
            }
            stage.restart()
            #expect(stage.offer() == nil, "\(way)")
            let explanation = try stage.explain("rating", to: nil)
            let check = explanation.checks.first { $0.name == "quietHours" }
            #expect(check?.passed == false && !explanation.wouldShow)
            #expect(check?.explanation.contains("until 2026-11-21T13:00:00.000Z") == true, "\(check as Any)")
            stage.pass(2 * Stage.hour - 1)
            #expect(stage.offer() == nil && stage.presentations(.scheduled).count == 1, "\(way)")
            stage.pass(1)
            #expect(stage.offer() != nil, "\(way)")
            #expect(stage.presentations(.ready).first?.expiresAt == stage.now.adding(milliseconds: 2 * Stage.hour))
        }
    }

    @Test("hours are told of before they begin, and held as they do")
    func beginning() throws {
        var stage = Stage([try Self.survey()])
        try stage.setQuiet(try Self.quiet("12:00-13:00 sat"))
        try stage.record("done")
        #expect(stage.offer() != nil)
        #expect(
            stage.engine.quietBegins(in: stage.scope, now: stage.now) == Stage.start.adding(milliseconds: Stage.hour))
        stage.pass(Stage.hour)
        #expect(stage.offer() == nil)
        stage.hold()
        #expect(stage.presentations(.scheduled).map(\.dueAt) == [Stage.start.adding(milliseconds: 2 * Stage.hour)])
        #expect(stage.engine.quietBegins(in: stage.scope, now: stage.now) == nil)
    }

    @Test("who takes the hours back is asked at once, and who makes them longer later")
    func changing() throws {
        var stage = Stage([try Self.survey()])
        try stage.setQuiet(try Self.quiet("10:00-13:00"))
        try stage.record("done")
        stage.restart()
        try stage.setQuiet(try Self.quiet("10:00-12:00"))
        stage.pass(0)
        #expect(stage.presentations(.scheduled).map(\.dueAt) == [Stage.start.adding(milliseconds: Stage.hour)])
        try stage.setQuiet(PersonalQuiet())
        stage.pass(0)
        #expect(stage.offer() != nil)
    }

    @Test(
        "a survey has hours of its own, at which it waits, or is dropped and the next one has its turn; debug passes over them"
    )
    func ofSurvey() throws {
        var stage = Stage([try Self.survey(hours: "10:00-13:00")])
        try stage.record("done")
        stage.pass(Stage.hour)
        #expect(stage.offer() == nil && stage.presentations(.scheduled).count == 1)
        stage = Stage([try Self.survey(hours: "10:00-13:00", drops: true), try Self.survey("next")])
        try stage.record("done")
        #expect(stage.presentations.map(\.survey) == ["next"])
        stage = Stage([try Self.survey(delay: Stage.hour, hours: "11:30-13:00", drops: true)])
        try stage.record("done")
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.reason) == ["quietHours"])
        stage = Stage([try Self.survey(hours: "10:00-13:00", drops: true)])
        stage.engine.setDebugMode(DebugMode(bypassesGating: true))
        try stage.record("done")
        #expect(stage.offer() != nil)
        try stage.setQuiet(try Self.quiet("10:00-13:00"))
        #expect(stage.offer() == nil)
    }

    @Test("an alarm passes where the person allows it, and what a program asks always; muted is muted")
    func alarms() throws {
        var stage = Stage([try Self.survey(isAlarm: true)])
        try stage.setQuiet(try Self.quiet("10:00-13:00"))
        try stage.record("done")
        #expect(stage.offer() == nil)
        let asked = try stage.ask(try .sample())
        #expect(stage.offer()?.id == asked.presentations[0].id)
        try stage.dismiss(asked.presentations[0].id)
        try stage.setQuiet(try Self.quiet("10:00-13:00", alarms: true))
        stage.pass(0)
        #expect(stage.offer()?.survey == "rating")
        try stage.wish(Engine.WishOrder(mutedUntil: .latest))
        #expect(stage.offer() == nil)
    }

    @Test("two spans that follow each other, the person's and the survey's, are one")
    func chained() throws {
        var stage = Stage([try Self.survey(hours: "13:00-15:00 sat")])
        try stage.setQuiet(try Self.quiet("10:00-13:00;15:00-16:00"))
        try stage.record("done")
        #expect(stage.presentations.map(\.dueAt) == [Stage.start.adding(milliseconds: 5 * Stage.hour)])
    }

    @Test("a file says it for all its surveys, but for alarms and those that say otherwise")
    func document() throws {
        let members = #""message": "M", "response": {"type": "text"}, "trigger": {"event": {"name": "e"}}"#
        func read(_ head: String, _ more: String) throws -> (SurveyConfiguration?, [String]) {
            let read = SurveyConfiguration.read(
                try Samples.json(#"{\#(head) "surveys": [{"id": "s", "title": "T", \#(members) \#(more)}]}"#))
            return (read.configuration, read.issues.errors.map(\.path))
        }
        let head = #""quietHours": [{"from": "22:00", "until": "07:00"}], "outside": "drop","#
        let night = QuietHours(text: "22:00-07:00")
        #expect(try read(head, "").0?.surveys.first?.quiet.hours == night)
        #expect(try read(head, "").0?.surveys.first?.quiet.drops == true)
        #expect(try read(head, #", "alarm": true"#).0?.surveys.first?.quiet.hours == nil)
        #expect(try read(head, #", "quietHours": [], "outside": "wait""#).0?.surveys.first?.quiet == SurveyQuiet())
        #expect(try read("", #", "quietHours": [{"from": "22:00", "until": "7"}]"#).1 == ["$.surveys[0].quietHours[0]"])
        #expect(try read(#""outside": "never","#, "").1 == ["$.outside"])
    }
}
