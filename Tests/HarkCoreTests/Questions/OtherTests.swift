import HarkWire
import Testing

@testable import HarkCore

@Suite("The option Other and its text")
struct OtherTests {
    private static func read(_ questions: String) -> (questionnaire: Questionnaire?, issues: DocumentIssues) {
        guard let document = try? JSONDocument(Array("[\(questions)]".utf8), .json).value else {
            preconditionFailure("no JSON: \(questions)")
        }
        return Questionnaire.read(document)
    }

    private static let came = #"{"id":"came","question":"How?","type":"single","options":["bus","foot"],"other":true"#
    private static let rest = #"{"id":"why","question":"Why?"},{"id":"last","question":"Else?","required":false}"#

    private func given(_ answers: [(String, JSONValue)]) -> [(id: String, value: JSONValue)] {
        answers.map { (id: $0, value: $1) }
    }

    @Test("the text follows its question, is required there, and is asked of nobody else")
    func way() throws {
        let (read, issues) = Self.read("\(Self.came)},\(Self.rest)")
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let questionnaire = try #require(read)
        #expect(questionnaire.questions.map(\.id) == ["came", "came.other", "why", "last"])
        #expect(questionnaire.questions[1].of == "came" && questionnaire.questions[1].prompt == "Other")
        let other = try questionnaire.accept(given([("came", "other")])) { $0 }
        #expect(questionnaire.route(other).questions.map(\.id) == ["came", "came.other"])
        let error = #expect(throws: WireError.self) { try questionnaire.complete(other) { $0 } }
        #expect(error?.message == "the question 'came.other' needs an answer" && error?.path == "came.other")
        let all = given([("came", "Other"), ("came.other", " By boat "), ("why", "x")])
        let complete = try questionnaire.complete(try questionnaire.accept(all) { $0 }) { $0 }
        #expect(complete["came"] == .choice("other") && complete["came.other"] == .text("By boat"))
        // A person who changes to another option leaves no text behind.
        let bus = try questionnaire.accept(given([("came", "bus")]), onto: complete) { $0 }
        #expect(try questionnaire.complete(bus) { $0 }.members.map(\.id) == ["came", "why"])
    }

    @Test(
        "a branch goes on behind the text", arguments: [#""next":"last""#, #""next":[{"when":"other","to":"last"}]"#])
    func branches(next: String) throws {
        let (read, issues) = Self.read("\(Self.came),\(next)},\(Self.rest)")
        #expect(issues.errors.isEmpty)
        let questionnaire = try #require(read)
        let answers = try questionnaire.accept(given([("came", "other"), ("came.other", "Boat")])) { $0 }
        #expect(questionnaire.way(answers).map(\.id) == ["came", "came.other", "last"])
    }

    @Test("several options may have it among them, and it may stand alone")
    func several() throws {
        let members = #"{"id":"q","question":"Q","type":"multiple","maxSelections":2,"exclusive":["none"],"#
        let (read, issues) = Self.read(members + #""options":["a","none"],"other":"Else"}"#)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let questionnaire = try #require(read)
        let both = try questionnaire.accept(given([("q", ["Else", "a"]), ("q.other", "x")])) { $0 }
        #expect(both["q"] == .choices(["a", "other"]))
        #expect(questionnaire.way(both).map(\.id) == ["q", "q.other"])
        #expect(throws: WireError.self) { try questionnaire.accept(given([("q", ["none", "other"])])) { $0 } }
        #expect(throws: WireError.self) {
            try questionnaire.accept(given([("q.other", .string(String(repeating: "x", count: 251)))])) { $0 }
        }
    }

    @Test("what is no label, and what is there already, is told at its member")
    func documents() {
        for (members, path, words) in [
            (#""options":["a"],"other":1"#, "$[0].other", "must be true, or a text as the label"),
            (#""options":["a"],"other":" ""#, "$[0].other", "must be true, or a text"),
            (#""options":["a","other"],"other":true"#, "$[0].other", "there is one already"),
        ] {
            let errors = Self.read(#"{"id":"q","question":"Q","type":"single",\#(members)}"#).issues.errors
            #expect(errors.contains { $0.path == path && $0.message.contains(words) }, "\(errors)")
        }
        let errors = Self.read(#"\#(Self.came)},{"id":"came.other","question":"What?"}"#).issues.errors
        #expect(errors.contains { $0.path == "$[1].id" && $0.message.contains("text of an 'other'") }, "\(errors)")
        let ranking = Self.read(#"{"id":"q","question":"Q","type":"ranking","options":["a","b"],"other":true}"#)
        #expect(ranking.issues.warnings.contains { $0.path == "$[0].other" })
        #expect(Self.read(#"\#(Self.came.replacing("true", with: "false"))}"#).questionnaire?.questions.count == 1)
    }

    @Test("its label is translated with the text's, and labels of the others count without it")
    func translation() throws {
        let question = try #require(Self.read(Self.came + "}").questionnaire?.questions.first)
        #expect(question.labelCount == 2)
        var texts = QuestionTranslation(labels: ["Bus", "Zu Fuß"])
        texts.other = "Anders"
        let german = question.translated(texts)
        #expect(german.kind.choices?.map(\.label) == ["Bus", "Zu Fuß", "Anders"])
        #expect(german.kind.choices?.map(\.value) == ["bus", "foot", "other"])
        #expect(german.otherText?.prompt == "Anders")
    }

    @Test("what was shown is read back with it")
    func shown() throws {
        let questionnaire = try #require(Self.read("\(Self.came)},\(Self.rest)").questionnaire)
        let content = SurveyContent(
            title: "T", message: "M", responseType: .questions, questionnaire: questionnaire)
        let text = String(decoding: content.info.json, as: UTF8.self)
        #expect(text.contains(#"{"value":"other","label":"Other","other":true}"#), "\(text)")
        #expect(text.contains(#""question":"Other","of":"came""#), "\(text)")
        let again = try #require(SurveyContent(shown: content.info.json)?.questionnaire)
        #expect(again.questions.map(\.id) == questionnaire.questions.map(\.id))
        #expect(again.questions[1].of == "came" && again.questions[0].kind == questionnaire.questions[0].kind)
    }
}
