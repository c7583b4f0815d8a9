import HarkCore
import HarkWire
import Testing

@Suite("The story of a survey after each visit")
struct AttemptStoryTests {
    let hour = Stage.hour
    let day = Stage.day

    /// The survey is shown an hour after a visit, and the user dismisses it.
    func visit(_ stage: inout Stage, attempt: Int) throws {
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        let scheduled = try #require(stage.presentations(.scheduled).first)
        #expect(scheduled.dueAt == stage.now.adding(milliseconds: hour))
        #expect(stage.offer() == nil)
        stage.pass(hour - 1)
        #expect(stage.offer() == nil)
        stage.pass(1)
        let shown = try #require(try stage.presentNext())
        #expect(shown.survey == "visit-feedback")
        try stage.dismiss(shown.id)
        #expect(stage.gating("visit-feedback", "visitor").attempts == attempt)
    }

    @Test("three visits, three dismissals, with 24 hours in between; then it stops")
    func dismissals() throws {
        var stage = Stage(try Samples.configuration("visit.json"))
        // 1 to 4: the first visit, an hour, a dismissal: one attempt.
        try visit(&stage, attempt: 1)

        // 5: another visit before 24 hours are over brings nothing about, in a new session either.
        stage.pass(day - hour - 1)
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        #expect(stage.presentations(.scheduled).isEmpty)

        // 6: the second visit, after them.
        stage.pass(hour + 1)
        try visit(&stage, attempt: 2)

        // 7: the third; with it all attempts are used up.
        stage.pass(day)
        try visit(&stage, attempt: 3)
        stage.pass(30 * day)
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        stage.pass(30 * day)
        #expect(stage.presentations.filter { $0.state.isOpen }.isEmpty)
        #expect(stage.events("survey_presented").count == 3)
        #expect(stage.events("survey_dismissed").count == 3)
    }

    @Test("an answer at any point ends it for good", arguments: 0..<3)
    func completion(dismissals: Int) throws {
        var stage = Stage(try Samples.configuration("visit.json"))
        for attempt in 0..<dismissals {
            try visit(&stage, attempt: attempt + 1)
            stage.pass(day)
        }
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        stage.pass(hour)
        let shown = try #require(try stage.presentNext())
        try stage.answer(shown.id, option: "Excellent", text: "  Lovely garden. \n")
        #expect(stage.events("survey_response").map { $0["text"] } == ["Excellent||Lovely garden."])
        #expect(stage.events("survey_response").map { $0["option"] } == ["Excellent"])
        #expect(stage.events("survey_response").map { $0["comment"] } == ["Lovely garden."])
        stage.pass(30 * day)
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        #expect(stage.presentations.filter { $0.state.isOpen }.isEmpty)
    }

    @Test("restarts while it waits change nothing: it comes at its time")
    func restarts() throws {
        var stage = Stage(try Samples.configuration("visit.json"))
        try stage.startSession("visitor")
        try stage.record("visit_completed")
        for _ in 0..<6 {
            stage.pass(hour / 6 - 1)
            stage.restart()
            #expect(stage.offer() == nil)
        }
        stage.pass(6)
        #expect(stage.offer()?.survey == "visit-feedback")
    }

    @Test("who has no notifications gets the other survey when the first is used up")
    func fallback() throws {
        var stage = Stage(try Samples.configuration("visit.json"))
        let off: [(String, PropertyValue)] = [("notifications_enabled", .bool(false))]
        try visit(&stage, attempt: 1)
        // The first matches, too, but is not allowed within 24 hours.
        try stage.record("visit_completed", off)
        stage.pass(hour)
        let shown = try #require(try stage.presentNext())
        #expect(shown.survey == "visit-without-notifications")
        try stage.answer(shown.id, option: "OK")
        #expect(
            stage.events("survey_response").map { [$0["id"], $0["type"], $0["option"]] }
                == [["visit-without-notifications", "choice", "OK"]])
    }
}
