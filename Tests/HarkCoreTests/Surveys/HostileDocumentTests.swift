import HarkCore
import HarkWire
import Testing

/// Documents that are made to take long, or to say much.
@Suite(.timeLimit(.minutes(2))) struct HostileDocumentTests {
    @Test("the first hundred faults of a document are told, and the rest of it is not looked at")
    func faults() {
        let document: JSONValue = ["surveys": .array(Array(repeating: [:], count: 500_000))]
        #expect(SurveyConfiguration.read(document).issues.errors.count == 100)
        #expect(FormConfiguration.read(["forms": .array(Array(repeating: [:], count: 900))]).issues.errors.count == 100)
        let crowd: JSONValue = ["forms": .array(Array(repeating: [:], count: 1_001))]
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

    @Test("rules that every event of a name would have to wait for are refused, with the place")
    func rules() {
        func survey(_ number: Int, _ properties: JSONValue) -> JSONValue {
            [
                "id": .string("s\(number)"), "title": "T", "message": "M", "options": ["A"],
                "trigger": ["event": ["name": "x", "properties": properties]],
            ]
        }
        let search: JSONValue = ["text": ["op": "contains", "value": "needle"]]
        let few = (0..<200).map { survey($0, search) }
        #expect(SurveyConfiguration.read(["surveys": .array(few)]).configuration != nil)
        let many = (0..<300).map { survey($0, search) }
        #expect(
            SurveyConfiguration.read(["surveys": .array(many)]).issues.errors.map(\.path) == [
                "$.surveys[238].trigger.event"
            ])
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
