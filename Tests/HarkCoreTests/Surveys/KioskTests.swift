import HarkWire
import Synchronization
import Testing

@testable import HarkCore

@Suite("Visitors of a kiosk are kept apart (M4)")
struct KioskTests {
    private static let pages = SurveyContent(
        title: "Title", message: "Message", responseType: .questions,
        questionnaire: Questionnaire([
            Question(id: "one", kind: .single([.init("Yes"), .init("No")])),
            Question(id: "two", kind: .text(.init())),
        ]))

    /// A kiosk with a clock that goes a second on whenever it is asked.
    private static func stage(_ surveys: Survey...) throws -> Stage {
        var stage = Stage(surveys)
        let ticks = Ticks()
        var clock = ShowingClock()
        clock.awake = { ticks.next() }
        stage.engine.setShowingClock(clock)
        try stage.startSession(nil)
        return stage
    }

    private final class Ticks: Sendable {
        private let count = Mutex<Int64>(0)
        func next() -> Int64 {
            count.withLock {
                $0 += 1_000
                return $0
            }
        }
    }

    /// The survey for the next visitor.
    private static func next(_ stage: inout Stage) throws -> Presentation? {
        try stage.startSession(nil)
        return try take(&stage)
    }

    private static func take(_ stage: inout Stage) throws -> Presentation? {
        stage.disk.bring(.offers(in: stage.scope), to: &stage.engine)
        stage.engine.closeLeft(in: stage.scope, now: stage.now, into: &stage.changes)
        stage.step()
        return try stage.offer().map { try stage.present($0.id, on: .kiosk) }
    }

    @Test("what a visitor leaves is closed, told as an event, and counts where it was left")
    func abandoned() throws {
        var stage = try Self.stage(Samples.survey(content: Self.pages))
        try stage.record("done")
        let shown = try #require(try Self.take(&stage))
        try stage.keep(shown.id, ["one": "Yes"])
        let closed = try stage.dismiss(shown.id, for: .abandoned)
        #expect(closed.state == .dismissed && closed.reason == "abandoned")
        #expect(stage.events("survey_dismissed").map { $0["for"] } == ["abandoned"])
        var results = SurveyResults(survey: "rating")
        for presentation in stage.presentations { results.add(presentation) }
        #expect(results.abandoned == 1 && results.count(.dismissed) == 1)
        #expect(results.ways["one"] == SurveyResults.Way(seen: 1, answered: 1, left: 0))
        #expect(results.ways["two"] == SurveyResults.Way(seen: 1, answered: 0, left: 1))
        // One that somebody closes is not.
        #expect(try Self.next(&stage) == nil)
        try stage.record("done")
        let second = try #require(try Self.take(&stage))
        #expect(second.answers.isEmpty)
        results.add(try stage.dismiss(second.id))
        #expect(results.abandoned == 1 && results.count(.dismissed) == 2)
    }

    @Test("nothing that one visitor does counts against the next", arguments: ["answers", "leaves", "is cut off"])
    func limits(_ way: String) throws {
        var stage = Stage(
            SurveyConfiguration(
                [
                    Samples.survey {
                        $0.maxAttempts = 1
                        $0.cooldown = Stage.day
                        $0.oncePerUser = true
                    }
                ], globalCooldown: Stage.day))
        try stage.startSession(nil)
        for _ in 0..<3 {
            try stage.record("done")
            let shown = try #require(try Self.take(&stage))
            switch way {
            case "answers": try stage.answer(shown.id, option: "Great")
            case "leaves": try stage.dismiss(shown.id, for: .abandoned)
            default: stage.restart()
            }
            #expect(try Self.next(&stage) == nil)
        }
        #expect(stage.gating("rating") == Gating())
        #expect(Set(stage.presentations.compactMap(\.session)).count == 3)
    }

    @Test("surveys from afar ask each visitor, and what the account itself says holds")
    func fromAfar() throws {
        var configuration = SurveyConfiguration([Samples.survey()])
        configuration.isFromAfar = true
        var stage = Stage(configuration)
        try stage.startSession(nil)
        for _ in 0..<2 {
            try stage.record("done")
            try stage.answer(try #require(try Self.take(&stage)).id, option: "Great")
            _ = try Self.next(&stage)
        }
        try stage.wish(.init(every: Stage.day))
        try stage.record("done")
        #expect(try Self.take(&stage) == nil)
    }

    @Test("somebody who is known to the app counts as ever")
    func known() throws {
        var stage = try Self.stage(Samples.survey())
        try stage.startSession("ada")
        try stage.record("done")
        try stage.answer(try #require(try Self.take(&stage)).id, option: "Great")
        #expect(stage.gating("rating", "ada").completed != nil)
        try stage.record("done")
        #expect(try Self.take(&stage) == nil)
    }

    @Test("what was begun is offered to nobody, and is closed when the next visitor comes")
    func left() throws {
        var stage = try Self.stage(Samples.survey(content: Self.pages))
        try stage.record("done")
        let shown = try #require(try Self.take(&stage))
        try stage.keep(shown.id, ["one": "Yes"])
        // Its program ends, or the daemon does.
        stage.restart()
        #expect(stage.presentations(.ready).count == 1)
        #expect(stage.offer() == nil)
        for surface in Surface.allCases where surface != .kiosk {
            #expect(throws: WireError.self) { try stage.present(shown.id, on: surface) }
        }
        // The same visitor goes on.
        #expect(try stage.present(shown.id, on: .kiosk).answers.members.map(\.id) == ["one"])
        try stage.release(shown.id)
        let events = stage.disk.records.count
        #expect(try Self.next(&stage) == nil)
        let closed = try #require(stage.presentations.first)
        #expect(closed.state == .dismissed && closed.reason == "abandoned")
        // Nothing is recorded for the next visitor: a session ended, and another began.
        #expect(stage.disk.records.count == events + 2)
        #expect(closed.session != stage.engine.sessions.current(stage.scope)?.identity.id)
    }

    @Test("an answer takes nothing from another visitor who waits")
    func others() throws {
        var stage = try Self.stage(Samples.survey(delay: Stage.hour))
        try stage.record("done")
        stage.pass(Stage.hour - 1)
        try stage.startSession(nil)
        try stage.record("done")
        stage.pass(1)
        try stage.answer(try #require(try Self.take(&stage)).id, option: "Great")
        stage.pass(Stage.hour)
        #expect(try Self.next(&stage) != nil)
    }
}
