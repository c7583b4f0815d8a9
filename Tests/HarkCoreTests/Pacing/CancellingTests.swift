import HarkTesting
import HarkWire
import Testing

@testable import HarkCore

@Suite("Events that cancel what waits")
struct CancellingTests {
    static func survey(
        _ id: String = "order", of trigger: String = "ordered", delay: Int64 = Stage.hour,
        on event: String = "cancelled", same: [String] = [], condition: Condition = .always, alsoShown: Bool = false
    ) -> Survey {
        var survey = Samples.survey(id, event: trigger, delay: delay) { $0.oncePerSession = false }
        survey.cancelOn = [CancelRule(EventPattern(event, condition), same: same, alsoShown: alsoShown)]
        return survey
    }

    static func order(_ id: Int64) -> [(String, PropertyValue)] { [("orderId", .integer(id))] }

    @Test("what is scheduled or ready goes, is no attempt, and says why")
    func waiting() throws {
        for delay in [0, Stage.hour] {
            var stage = Stage([Self.survey(delay: delay)])
            try stage.record("ordered")
            try stage.record("cancelled")
            let closed = try #require(stage.presentations.first)
            #expect(closed.state == .cancelled && closed.reason == "event" && closed.closedAt == stage.now)
            stage.pass(2 * Stage.hour)
            #expect(stage.offer() == nil && stage.gating("order") == Gating())
            #expect(stage.events("survey_dismissed").isEmpty)
        }
    }

    @Test("only where the properties that are to be the same are, numbers by value and none where one is missing")
    func same() throws {
        let cases: [(PropertyValue?, PropertyValue?, isCancelled: Bool)] = [
            (.integer(17), .integer(17), true), (.integer(17), .integer(18), false), (.integer(17), .double(17), true),
            (.string("17"), .integer(17), false), (nil, .integer(17), false), (.integer(17), nil, false),
            (nil, nil, false),
        ]
        for (before, after, isCancelled) in cases {
            var stage = Stage([Self.survey(same: ["orderId"])])
            try stage.record("ordered", before.map { [("orderId", $0)] } ?? [])
            stage.restart()
            try stage.record("cancelled", after.map { [("orderId", $0)] } ?? [])
            #expect(stage.presentations(.cancelled).count == (isCancelled ? 1 : 0), "\(String(describing: before))")
        }
    }

    @Test("the properties it needs are kept, however many others come before")
    func kept() throws {
        var stage = Stage([Self.survey(same: ["orderId"])])
        try stage.record("ordered", (0..<40).map { ("p\($0)", .integer($0)) } + Self.order(5))
        try stage.record("cancelled", Self.order(5))
        #expect(stage.presentations(.cancelled).count == 1)
    }

    @Test("an event that did not match its condition, of another user, or from before it came about cancels nothing")
    func others() throws {
        let condition = Condition.value("why", Matcher(.eq, .string("changed my mind")))
        var stage = Stage([Self.survey(condition: condition)])
        try stage.startSession("ada")
        try stage.record("ordered")
        try stage.record("cancelled", [("why", .string("too late"))])
        try stage.startSession("ben")
        try stage.record("cancelled", [("why", .string("changed my mind"))])
        try stage.startSession("ada")
        let before = stage.now.adding(milliseconds: -1)
        try stage.record("cancelled", [("why", .string("changed my mind"))], at: before)
        #expect(stage.presentations(.scheduled).count == 1)
        try stage.record("cancelled", [("why", .string("changed my mind"))])
        #expect(stage.presentations(.cancelled).count == 1)
    }

    @Test("what is shown stays, unless the survey says so and nothing is answered")
    func shown() throws {
        for alsoShown in [false, true] {
            var stage = Stage([Self.survey(delay: 0, alsoShown: alsoShown)])
            try stage.record("ordered")
            let shown = try #require(try stage.presentNext())
            try stage.record("cancelled")
            #expect(stage.presentations.first?.state == (alsoShown ? .cancelled : .presented))
            guard alsoShown else { continue }
            #expect(stage.engine.surveys.shown(in: stage.scope) == nil)
            #expect(throws: WireError.self) { try stage.answer(shown.id, option: "Great") }
        }
        var survey = Self.survey(delay: 0, alsoShown: true)
        survey = Survey(
            id: survey.id,
            content: SurveyContent(
                title: "T", message: "M", responseType: .questions,
                questionnaire: Questionnaire([
                    Question(id: "a", kind: .single([.init("Yes"), .init("No")])),
                    Question(id: "b", kind: .single([.init("Yes"), .init("No")])),
                ])), trigger: survey.trigger, limits: survey.limits)
        survey.cancelOn = Self.survey(alsoShown: true).cancelOn
        var stage = Stage([survey])
        try stage.record("ordered")
        let shown = try #require(try stage.presentNext())
        try stage.keep(shown.id, ["a": "Yes"])
        try stage.record("cancelled")
        #expect(stage.presentations.first?.state == .presented)
    }

    @Test("an event that triggers and cancels the same survey has it begin anew")
    func again() throws {
        var stage = Stage([Self.survey(on: "ordered")])
        try stage.record("ordered")
        stage.pass(Stage.hour / 2)
        try stage.record("ordered")
        #expect(stage.presentations.map(\.state) == [.cancelled, .scheduled])
        stage.pass(Stage.hour / 2)
        #expect(stage.offer() == nil)
        stage.pass(Stage.hour / 2)
        #expect(stage.offer() != nil)
    }

    @Test("over random orders and restarts what is left waiting is what a list says", arguments: 0..<40)
    func walk(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        var stage = Stage([
            Self.survey("order", same: ["orderId"]), Self.survey("second", of: "begun", on: "closed"),
            Self.survey(
                "third", of: "opened", on: "closed", condition: .value("orderId", Matcher(.gt, .int(2)))),
        ])
        let triggers = ["ordered": "order", "begun": "second", "opened": "third"]
        var waiting: [(user: String, survey: String, order: Int64)] = []
        for step in 0..<80 {
            let user = ["ada", "ben"].randomElement(using: &random) ?? "ada"
            let order = Int64.random(in: 0..<4, using: &random)
            // In a new session what waits since an earlier one does not hinder the next.
            try stage.startSession(user)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let event = triggers.keys.sorted().randomElement(using: &random) ?? "ordered"
                try stage.record(event, Self.order(order))
                waiting.append((user, triggers[event] ?? "", order))
            case 5..<7:
                try stage.record("cancelled", Self.order(order))
                waiting.removeAll { $0.user == user && $0.survey == "order" && $0.order == order }
            case 7:
                try stage.record("closed", Self.order(order))
                waiting.removeAll {
                    $0.user == user && ($0.survey == "second" || $0.survey == "third" && order > 2)
                }
            case 8: stage.restart()
            default:
                stage.clear(.user(user))
                waiting.removeAll { $0.user == user }
            }
            for user in ["ada", "ben"] {
                let left = stage.presentations(.scheduled).filter { $0.user.userId == user }.map(\.survey).sorted()
                let expected = waiting.filter { $0.user == user }.map(\.survey).sorted()
                #expect(left == expected, "seed \(seed), step \(step)")
            }
        }
    }

    @Test("explain and survey.list tell the events")
    func told() throws {
        var stage = Stage([Self.survey(same: ["orderId"])])
        let check = try stage.explain("order", to: nil).checks.first { $0.name == "cancelOn" }
        #expect(check?.passed == true)
        #expect(check?.explanation == "while it waits, this event cancels it: 'cancelled' with the same orderId")
        #expect(Self.survey(same: ["orderId"]).info.cancelOn == ["'cancelled' with the same orderId"])
    }
}
