import HarkCore
import HarkWire
import Testing

/// Documents that are made to take long, or to say much.
@Suite(.timeLimit(.minutes(45))) struct HostileDocumentTests {
    @Test("the first hundred faults of a document are told, and the rest of it is not looked at")
    func faults() {
        let document: JSONValue = ["surveys": .array(Array(repeating: [:], count: 500_000))]
        #expect(SurveyConfiguration.read(document).issues.errors.count == 100)
        #expect(FormConfiguration.read(["forms": .array(Array(repeating: [:], count: 900))]).issues.errors.count == 100)
        let crowd: JSONValue = ["forms": .array(Array(repeating: [:], count: 10_001))]
        #expect(FormConfiguration.read(crowd).issues.errors.map(\.path) == ["$.forms"])
    }

    @Test("members that nobody knows are named a hundred times at most, and none at any length")
    func warnings() {
        let members = (0..<100_000).map { ("member\($0)", JSONValue.null) }
        let long = (String(repeating: "x", count: 1_000_000), JSONValue.null)
        let issues = SurveyConfiguration.read(.object(JSONObject([("surveys", []), long] + members))).issues
        #expect(issues.warnings.count == 100)
        #expect(issues.warnings.allSatisfy { $0.path.utf8.count < 1_100 && $0.message.utf8.count < 1_100 })
    }

    @Test("as many options as a document holds are compared with each other in a moment")
    func options() throws {
        let options = (0..<100_000).map { JSONValue.string("option \($0)") } + ["option 7"]
        let survey: JSONValue = [
            "id": "s", "title": "T", "message": "M", "options": .array(options), "trigger": ["event": ["name": "x"]],
        ]
        let errors = SurveyConfiguration.read(["surveys": [survey]]).issues.errors
        #expect(errors.map(\.message) == ["'option 7' is there twice"])
    }

    @Test("as many rules for one event as a file holds are taken, and it is said from which on they are passed over")
    func rules() {
        func survey(_ number: Int) -> JSONValue {
            [
                "id": .string("s\(number)"), "title": "T", "message": "M", "options": ["A"],
                "trigger": [
                    "event": ["name": "x", "properties": ["a": 1, "text": ["op": "contains", "value": "b"]]]
                ],
            ]
        }
        let many = SurveyConfiguration.read(["surveys": .array((0..<34_000).map(survey))])
        #expect(many.configuration?.surveys.count == 34_000)
        #expect(many.issues.warnings.map(\.path) == ["$.surveys[33333].trigger.event"])
    }

    @Test("rules that search long texts are looked at up to a bound, and the event is recorded all the same")
    func searches() throws {
        let search = Condition.value("text", Matcher(.contains, .string(String(repeating: "a", count: 200) + "b")))
        var stage = Stage(
            (0..<200).map { Samples.survey("s\($0)", event: "x", condition: search) }
                + [Samples.survey("last", event: "x")])
        stage.commitsEachStep = false
        // All of them search a text that a person has written.
        try stage.record("x", [("text", .string(String(repeating: "a", count: 10_000)))])
        #expect(stage.changes.passedOver.isEmpty)
        #expect(
            stage.changes.rows.contains {
                if case .survey(.putPresentation(let one)) = $0 { one.survey == "last" } else { false }
            })
        let events = { (stage: Stage) in stage.changes.records.count { $0.kind == .event } }
        let before = events(stage)
        try stage.startSession("ada")
        try stage.record("x", [("text", .string(String(repeating: "a", count: 1_000_000)))])
        #expect(stage.changes.passedOver == [PassedOver(survey: "s3", name: "x")])
        #expect(events(stage) == before + 1)
    }

    @Test("what counters hold is searched within the same bound")
    func searchedCounters() throws {
        var survey = Samples.survey("s", event: "x")
        survey = Survey(
            id: "s", content: survey.content,
            trigger: SurveyTrigger(event: nil, counters: .value("c", Matcher(.contains, "b"))))
        var stage = Stage((0..<300).map { Survey(id: "s\($0)", content: survey.content, trigger: survey.trigger) })
        stage.commitsEachStep = false
        try stage.register("c")
        try stage.set("c", .string(String(repeating: "a", count: 60_000)))
        #expect(stage.changes.passedOver.map(\.name) == ["c"])
        try stage.set("c", .string(String(repeating: "a", count: 6_000)))
        #expect(stage.changes.passedOver.count == 1)
    }

    @Test("an event of many properties is looked through once, however many rules ask for them")
    func properties() throws {
        var stage = Stage(
            (0..<2_000).map {
                Samples.survey("s\($0)", event: "x", condition: .all([.value("p\($0)", Matcher(.eq, 2))]))
            })
        let start = ContinuousClock.now
        try stage.record("x", (0..<20_000).map { ("p\($0)", .integer($0 == 1_999 ? 2 : 1)) })
        #expect(stage.offer()?.survey == "s1999")
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
