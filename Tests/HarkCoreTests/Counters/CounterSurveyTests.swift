import HarkCore
import HarkWire
import Testing

/// Surveys that look at counters (row C6).
@Suite struct CounterSurveyTests {
    static let opensAndShares = Condition.all([.atLeast("opens", 3), .atLeast("shares", 2)])

    private static func survey(
        _ id: String = "rating", event: String? = nil, counters: Condition = opensAndShares, delay: Int64 = 0,
        _ limit: (inout SurveyLimits) -> Void = { _ in }
    ) -> Survey {
        var limits = SurveyLimits()
        limit(&limits)
        return Survey(
            id: id, content: Samples.options, trigger: SurveyTrigger(event: event, counters: counters, delay: delay),
            limits: limits)
    }

    private static func stage(_ surveys: Survey...) throws -> Stage {
        var stage = Stage(surveys)
        try stage.startSession("ada")
        try stage.register("opens")
        try stage.register("shares")
        return stage
    }

    @Test("C6: opened 3 times and shared twice: the trigger that makes it so brings the survey about")
    func example() throws {
        var stage = try Self.stage(Self.survey())
        for _ in 0..<3 { try stage.trigger("opens") }
        try stage.trigger("shares")
        #expect(stage.presentations.isEmpty)
        try stage.trigger("shares")
        #expect(stage.presentations.map(\.state) == [.ready])
        #expect(stage.presentations[0].user.userId == "ada")
        // It waits: it does not come again.
        try stage.trigger("shares")
        #expect(stage.presentations.count == 1)
    }

    @Test("C6: a set counts as a trigger does, a reset does not, nor does a counter it does not name")
    func causes() throws {
        var stage = try Self.stage(Self.survey(counters: .equal("opens", 0)))
        try stage.trigger("opens")
        try stage.reset()
        try stage.trigger("shares")
        try stage.record("opens")
        #expect(stage.presentations.isEmpty)
        try stage.set("opens", 0)
        #expect(stage.presentations.count == 1)
    }

    @Test("C6: beside an event, the counters are asked for when the event comes", arguments: [true, false])
    func besideEvent(_ isLoaded: Bool) throws {
        var stage = try Self.stage(
            Self.survey("first", event: "done", counters: .atLeast("opens", 2)), Samples.survey("second"))
        try stage.record("done")
        #expect(stage.presentations.map(\.survey) == ["second"])
        try stage.set("opens", 2)
        #expect(stage.presentations.count == 1, "the counter alone brings nothing about")
        if !isLoaded { stage.restart() }
        try stage.record("done")
        #expect(stage.presentations.map(\.survey) == ["second", "first"])
    }

    @Test("C6: its delay counts from the trigger")
    func delay() throws {
        var stage = try Self.stage(Self.survey(counters: .atLeast("opens", 1), delay: Stage.hour))
        try stage.trigger("opens")
        #expect(stage.presentations.map(\.state) == [.scheduled])
        stage.pass(Stage.hour)
        #expect(stage.presentations.map(\.state) == [.ready])
    }

    @Test("C6: the first in order that matches and is allowed wins; limits hold")
    func order() throws {
        let any = Condition.atLeast("opens", 1)
        var stage = try Self.stage(
            Self.survey("once", counters: any) { $0.oncePerUser = true },
            Self.survey("other", counters: any) { $0.maxAttempts = 1 })
        try stage.trigger("opens")
        #expect(stage.presentations.map(\.survey) == ["once"])
        try stage.dismiss(try #require(try stage.presentNext()).id)
        try stage.trigger("opens")
        #expect(stage.presentations.map(\.survey) == ["once", "other"])
        try stage.dismiss(try #require(try stage.presentNext()).id)
        try stage.startSession("ada")
        try stage.trigger("opens")
        #expect(stage.presentations.count == 2)
    }

    @Test("C6: without a session an anonymous one starts, but only when there is something to ask")
    func withoutSession() throws {
        var stage = try Self.stage(Self.survey(counters: .atLeast("opens", 2)))
        stage.endSession()
        try stage.trigger("opens")
        #expect(stage.disk.current[stage.scope] == nil)
        try stage.trigger("opens")
        #expect(stage.disk.current[stage.scope]?.identity.userId == .some(nil))
        #expect(stage.presentations.count == 1)
    }

    @Test("C6: the explanation tells what the counters are, and what it asks for")
    func explanation() throws {
        var stage = try Self.stage(
            Self.survey(counters: .all([.atLeast("opens", 3), .not(.equal("shares", 0)), .equal("nobody", "x")])))
        try stage.trigger("opens")
        stage.disk.bring(.counters(of: stage.scope), to: &stage.engine)
        let explanation = try stage.explain("rating", to: "ada")
        let check = try #require(explanation.checks.first { $0.name == "counters" })
        #expect(!check.passed && !explanation.wouldShow)
        #expect(
            check.explanation == #"asks for opens gte 3 and not (shares eq 0) and nobody eq "x"; "#
                + "there is no counter nobody, opens is 1, shares is 0")
        var plain = Stage([Samples.survey()])
        #expect(try !plain.explain("rating", to: "ada").checks.contains { $0.name == "counters" })
    }

    @Test(
        "C6: a trigger is an event, counters, or both",
        arguments: [
            (#"{"counters":{"opens":{"op":"gte","value":3}}}"#, [] as [String]),
            (#"{"counters":{"all":[{"opens":3},{"any":[{"a":1},{"not":{"b":"x"}}]}]},"scheduleAfterSeconds":5}"#, []),
            (#"{"event":{"name":"e"},"counters":{"opens":1}}"#, []),
            (#"{}"#, ["$.surveys[0].trigger"]),
            (#"{"counters":{}}"#, ["$.surveys[0].trigger.counters"]),
            (#"{"counters":{"opens":{"op":"over","value":3}}}"#, ["$.surveys[0].trigger.counters.opens.op"]),
            (#"{"counters":{"all":[]}}"#, ["$.surveys[0].trigger.counters.all", "$.surveys[0].trigger.counters"]),
            (#"{"counters":7}"#, ["$.surveys[0].trigger.counters"]),
        ])
    func reading(_ trigger: String, _ faults: [String]) throws {
        let read = try Samples.read(
            #""id": "s", "title": "T", "message": "M", "options": ["A"], "trigger": \#(trigger)"#)
        #expect(read.issues.errors.map(\.path).filter { faults.contains($0) } == faults)
        #expect(read.issues.errors.isEmpty == faults.isEmpty, "\(read.issues.errors)")
        if faults.isEmpty { #expect(read.issues.warnings.isEmpty) }
        if faults.isEmpty { #expect(read.survey?.trigger.counters != nil) }
    }

    @Test("C6: a delay beside an event belongs to the event, and is told where it has no effect")
    func strayDelay() throws {
        let read = try Samples.read(
            #""id": "s", "title": "T", "message": "M", "options": ["A"], "trigger": {"event":{"name":"e"},"#
                + #""counters":{"opens":1},"scheduleAfterSeconds":5}"#)
        #expect(read.issues.warnings.map(\.path) == ["$.surveys[0].trigger.scheduleAfterSeconds"])
    }
}
