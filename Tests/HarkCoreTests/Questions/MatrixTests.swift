import HarkWire
import Testing

@testable import HarkCore

@Suite("A matrix of rows and columns")
struct MatrixTests {
    private static func read(_ questions: String) -> (questionnaire: Questionnaire?, issues: DocumentIssues) {
        guard let document = try? JSONDocument(Array("[\(questions)]".utf8), .json).value else {
            preconditionFailure("no JSON: \(questions)")
        }
        return Questionnaire.read(document)
    }

    private static let rows = #""rows":[{"id":"food","label":"The food"},{"id":"price","required":false},"staff"]"#
    private static let columns = #""columns":["good",{"value":"bad","label":"Not good"}]"#
    private static let care = #"{"id":"care","type":"matrix","question":"How was this?",\#(rows),\#(columns)"#

    private func given(_ answers: [(String, JSONValue)]) -> [(id: String, value: JSONValue)] {
        answers.map { (id: $0, value: $1) }
    }

    @Test("each row is a question of its own, which takes one of the columns")
    func eachRow() throws {
        let (read, issues) = Self.read("\(Self.care)},\(#"{"id":"why","question":"Why?"}"#)")
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let questionnaire = try #require(read)
        #expect(questionnaire.questions.map(\.id) == ["care.food", "care.price", "care.staff", "why"])
        #expect(questionnaire.questions.map(\.prompt) == ["The food", "price", "staff", "Why?"])
        #expect(questionnaire.questions.map(\.isRequired) == [true, false, true, true])
        #expect(questionnaire.questions[0].matrix == Question.Matrix(id: "care", prompt: "How was this?"))
        #expect(questionnaire.questions[2].possibleAnswers == ["good", "bad"])
        #expect(questionnaire.questions[0].wholePrompt == "How was this?: The food")
        #expect(questionnaire.written.map(\.id) == ["care.food", "why"])
        #expect((0...3).map(questionnaire.writtenPlace) == [0, 0, 0, 1])
        let some = given([("care.food", "good"), ("care.staff", "Not good"), ("why", "x")])
        let answers = try questionnaire.complete(try questionnaire.accept(some) { $0 }) { $0 }
        #expect(answers.members.map(\.id) == ["care.food", "care.staff", "why"])
        #expect(answers["care.staff"] == .choice("bad"))
        let lacks = try questionnaire.accept(given([("care.food", "good")])) { $0 }
        let error = #expect(throws: WireError.self) { try questionnaire.complete(lacks) { $0 } }
        #expect(error?.message == "the question 'care.staff' needs an answer")
        #expect(throws: WireError.self) { try questionnaire.accept(given([("care.food", "meh")])) { $0 } }
        #expect(throws: WireError.self) { try questionnaire.accept(given([("care", "good")])) { $0 } }
    }

    @Test("a row's own 'required' counts more than that of the matrix")
    func optional() {
        let rows = #""rows":["a",{"id":"b","required":true}]"#
        let matrix = #"{"id":"m","type":"matrix","question":"M","required":false,\#(rows),\#(Self.columns)}"#
        #expect(Self.read(matrix).questionnaire?.questions.map(\.isRequired) == [false, true])
    }

    @Test("a condition may name a row, and one of the matrix is that of all its rows")
    func conditions() throws {
        let (read, issues) = Self.read(
            #"{"id":"yes","type":"yes-no","question":"Been there?"},\#(Self.care),"when":"answer.yes = yes"},"#
                + #"{"id":"why","question":"Why?","when":"answer.care.food = bad"}"#)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let questionnaire = try #require(read)
        func way(_ answers: [(String, JSONValue)]) throws -> [String] {
            questionnaire.way(try questionnaire.accept(given(answers)) { $0 }).map(\.id)
        }
        #expect(try way([("yes", "no")]) == ["yes"])
        let rows = ["care.food", "care.price", "care.staff"]
        #expect(try way([("yes", "yes"), ("care.food", "good")]) == ["yes"] + rows)
        #expect(try way([("yes", "yes"), ("care.food", "bad")]) == ["yes"] + rows + ["why"])
        // An answer behind a condition that no longer holds does not count.
        #expect(try way([("yes", "no"), ("care.food", "bad")]) == ["yes"])
        // A fault is reported once, not for each row.
        let wrong = Self.read(#"{"id":"a","question":"A"},\#(Self.care),"when":"answer.b = 1"}"#).issues.errors
        #expect(wrong.map(\.path) == ["$[1].when"])
    }

    @Test("the way leads to the first row, and on behind the last")
    func ways() throws {
        let (read, issues) = Self.read(
            #"{"id":"a","question":"A","next":"care"},{"id":"b","question":"B"},\#(Self.care),"next":"end"},"#
                + #"{"id":"c","question":"C"}"#)
        #expect(issues.errors.isEmpty, "\(issues)")
        // The one passed over, and the one behind the end.
        #expect(issues.warnings.map(\.path) == ["$[1]", "$[3]"])
        let questionnaire = try #require(read)
        let answers = try questionnaire.accept(given([("a", "x")])) { $0 }
        #expect(questionnaire.way(answers).map(\.id) == ["a", "care.food", "care.price", "care.staff"])
        let alone = Self.read(#"{"id":"a","question":"A","next":"end"},\#(Self.care)}"#).issues.warnings
        #expect(alone.map(\.message) == ["no way leads to the question 'care'"])
    }

    @Test("what is no matrix is told at its member")
    func documents() {
        func errors(_ members: String) -> [DocumentIssue] {
            Self.read(#"{"id":"q","question":"Q","type":"matrix",\#(members)}"#).issues.errors
        }
        let many = (0...50).map { "\"r\($0)\"" }.joined(separator: ",")
        let cases: [(members: String, path: String, words: String)] = [
            (Self.columns, "$[0]", "'rows' is missing"),
            (Self.rows, "$[0]", "'columns' is missing"),
            (#""rows":[],\#(Self.columns)"#, "$[0].rows", "from 1 to 50 rows"),
            (#""rows":[\#(many)],\#(Self.columns)"#, "$[0].rows", "from 1 to 50 rows"),
            (#""rows":["a",{"id":"a"}],\#(Self.columns)"#, "$[0].rows[1]", "'a' is there twice"),
            (#""rows":["a",1],\#(Self.columns)"#, "$[0].rows[1]", "or an object with 'id'"),
            (#""rows":[{"label":"A"}],\#(Self.columns)"#, "$[0].rows[0]", "'id' is missing"),
            (#"\#(Self.rows),"columns":["x"]"#, "$[0].columns", "from 2 to 20 columns"),
            (#"\#(Self.rows),"columns":["x","x"]"#, "$[0].columns[1]", "'x' is there twice"),
            (
                #"\#(Self.rows),\#(Self.columns),"next":[{"when":"good","to":"end"}]"#, "$[0].next",
                "answer for each row"
            ),
            (##"\##(Self.rows),\##(Self.columns),"next":"away""##, "$[0].next", "there is no such question"),
        ]
        for (members, path, words) in cases {
            let found = errors(members)
            #expect(found.contains { $0.path.hasPrefix(path) && $0.message.contains(words) }, "\(members): \(found)")
        }
        let twice = Self.read(#"\#(Self.care)},{"id":"care.food","question":"Q"}"#).issues.errors
        #expect(twice.contains { $0.path == "$[1].id" && $0.message.contains("another question") }, "\(twice)")
        let same = Self.read(#"\#(Self.care)},{"id":"care","question":"Q"}"#).issues.errors
        #expect(same.contains { $0.path == "$[1].id" }, "\(same)")
        let into = Self.read(#"{"id":"a","question":"A","next":"care.price"},\#(Self.care)}"#).issues.errors
        #expect(into.contains { $0.path == "$[0].next" }, "\(into)")
        let image = Self.read(Self.care + #","image":"a.png","alt":"A"}"#).issues
        #expect(image.errors.isEmpty && image.warnings.map(\.path) == ["$[0].image", "$[0].alt"], "\(image)")
    }

    @Test("rows count as questions, and a file full of them is refused at once")
    func hostile() {
        let rows = (0..<50).map { "\"r\($0)\"" }.joined(separator: ",")
        let matrices = (0..<5).map {
            #"{"id":"m\#($0)","type":"matrix","question":"M","rows":[\#(rows)],\#(Self.columns)}"#
        }
        #expect(Self.read(matrices.prefix(4).joined(separator: ",")).questionnaire?.questions.count == 200)
        let errors = Self.read(matrices.joined(separator: ",")).issues.errors
        #expect(errors.map(\.message) == ["must hold up to 200 questions; each row of a matrix is one"])
        let flood = (0..<100_000).map { "\"r\($0)\"" }.joined(separator: ",")
        let refused = Self.read(#"{"id":"m","type":"matrix","question":"M","rows":[\#(flood)],\#(Self.columns)}"#)
        #expect(refused.questionnaire == nil && refused.issues.errors.count == 1)
    }

    @Test("what was shown is read back with it, in another language")
    func shown() throws {
        let surveys =
            #"{"surveys":[{"id":"s","title":"T","message":"M","trigger":{"event":{"name":"e"}},"questions":["#
            + "\(Self.care)}],"
            + #""translations":{"de":{"questions":{"care":{"question":"Wie war das?","rows":["Das Essen","Preis","Leute"],"#
            + #""columns":["gut","schlecht"]}}}}}]}"#
        let document = try JSONDocument(Array(surveys.utf8), .json).value
        let (configuration, issues) = SurveyConfiguration.read(document)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let content = try #require(configuration?.survey("s")?.content.localized("de-AT"))
        #expect(content.questionnaire.questions.map(\.prompt) == ["Das Essen", "Preis", "Leute"])
        #expect(content.questionnaire.questions[1].kind.choices?.map(\.label) == ["gut", "schlecht"])
        #expect(content.questionnaire.questions[1].kind.choices?.map(\.value) == ["good", "bad"])
        let text = String(decoding: content.info.json, as: UTF8.self)
        #expect(text.contains(#""matrix":{"id":"care","question":"Wie war das?"}"#), "\(text)")
        let again = try #require(SurveyContent(shown: content.info.json)?.questionnaire)
        #expect(again.questions.map(\.id) == content.questionnaire.questions.map(\.id))
        #expect(again.questions.map(\.matrix) == content.questionnaire.questions.map(\.matrix))
    }
}

@Suite("Conditions on the text of an option Other")
struct OtherConditionTests {
    @Test("a question may be asked by the text of an 'Other' before, which counts only while it is chosen")
    func condition() throws {
        let document = try JSONDocument(
            Array(
                (#"[{"id":"came","question":"How?","type":"single","options":["bus"],"other":true},"#
                    + #"{"id":"boat","question":"Which boat?","when":"answer.came.other contains boat"},"#
                    + #"{"id":"last","question":"Else?","required":false}]"#).utf8), .json
        ).value
        let (read, issues) = Questionnaire.read(document)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty, "\(issues)")
        let questionnaire = try #require(read)
        func way(_ answers: [(id: String, value: JSONValue)]) throws -> [String] {
            questionnaire.way(try questionnaire.accept(answers) { $0 }).map(\.id)
        }
        let boat: [(id: String, value: JSONValue)] = [("came", "other"), ("came.other", "a boat")]
        #expect(try way(boat) == ["came", "came.other", "boat", "last"])
        #expect(try way([("came", "other"), ("came.other", "a train")]) == ["came", "came.other", "last"])
        #expect(try way([("came", "bus"), ("came.other", "a boat")]) == ["came", "last"])
        let later = try JSONDocument(
            Array(
                (#"[{"id":"boat","question":"Which?","when":"answer.came.other exists"},"#
                    + #"{"id":"came","question":"How?","type":"single","options":["bus"],"other":true}]"#).utf8), .json
        ).value
        #expect(Questionnaire.read(later).issues.errors.map(\.path) == ["$[0].when"])
    }
}
