import HarkCore
import HarkWire
import Testing

@Suite("Ways through questions (S17)")
struct QuestionnaireTests {
    /// The six questions of the sample.
    static func quarterly() throws -> Questionnaire {
        let survey = try #require(try Samples.configuration("extended.json").survey("quarterly"))
        return survey.content.questionnaire
    }

    static let ways: [(answers: JSONObject, way: [String], missing: String?)] = [
        ([:], ["recommend"], "recommend"),
        (["recommend": 9], ["recommend"], nil),
        (["recommend": 3], ["recommend", "why"], nil),
        (["recommend": 5], ["recommend", "rooms"], "rooms"),
        (["recommend": 5, "rooms": ["Shop"]], ["recommend", "rooms", "why"], nil),
        (["recommend": 5, "rooms": ["Lab", "Shop"]], ["recommend", "rooms", "lab"], "lab"),
        (
            ["recommend": 5, "rooms": ["Lab"], "lab": 7], ["recommend", "rooms", "lab", "pace", "again"], "again"
        ),
        (
            ["recommend": 5, "rooms": ["Lab"], "lab": 7, "again": "No"],
            ["recommend", "rooms", "lab", "pace", "again", "why"], nil
        ),
    ]

    @Test("the way depends on the answers", arguments: ways)
    func routes(answers: JSONObject, way: [String], missing: String?) throws {
        let questionnaire = try Self.quarterly()
        let accepted = try questionnaire.accept(answers.map { ($0.key, $0.value) }) { $0 }
        let route = questionnaire.route(accepted)
        #expect(route.questions.map(\.id) == way)
        #expect(route.missing?.id == missing)
        if let missing {
            let error = #expect(throws: WireError.self) { try questionnaire.complete(accepted) { "answers.\($0)" } }
            #expect(error?.path == "answers.\(missing)")
        } else {
            #expect(try questionnaire.complete(accepted) { $0 } == accepted)
        }
    }

    @Test("answers to questions off the way do not count in the end")
    func detours() throws {
        let questionnaire = try Self.quarterly()
        let given: [(id: String, value: JSONValue)] = [("recommend", 5), ("rooms", ["Lab"]), ("lab", 7)]
        let before = try questionnaire.accept(given) { $0 }
        // Going back and answering the first question otherwise leads straight to the end.
        let after = try questionnaire.accept([("recommend", 10)], onto: before) { $0 }
        #expect(try questionnaire.complete(after) { $0 }.members.map(\.id) == ["recommend"])
    }

    @Test("an answer can be taken back")
    func takingBack() throws {
        let questionnaire = try Self.quarterly()
        let before = try questionnaire.accept([("recommend", 10)]) { $0 }
        #expect(try questionnaire.accept([("recommend", .null)], onto: before) { $0 }.isEmpty)
    }

    @Test("an answer to a question that is not there is refused")
    func unknown() throws {
        let questionnaire = try Self.quarterly()
        let error = #expect(throws: WireError.self) { try questionnaire.accept([("nope", 1)]) { "answers.\($0)" } }
        #expect(error?.path == "answers.nope")
        #expect(error?.message.contains("recommend, rooms") == true)
    }
}
