import Foundation
import HarkCore
import HarkWire
import Testing

@Suite("Reading forms (Q1, O1)")
struct FormReadingTests {
    @Test("the sample has the five questions with 3, 4, 4, 4 and 6 options, the last of them for several")
    func sample() throws {
        let form = try #require(try FormSamples.onboarding().form("onboarding"))
        let questions = form.questionnaire.questions
        let options = questions.map { $0.kind.choices?.count ?? 0 }
        #expect(options == [3, 4, 4, 4, 6])
        #expect(questions.map(\.kind.type) == [.single, .single, .single, .single, .multiple])
        guard case .multiple(_, let count) = questions[4].kind else { return }
        #expect(count == 1...6)
        #expect(questions.allSatisfy { $0.isRequired })
        #expect(form.completionMessage?.hasPrefix("All set!") == true)
        #expect(form.isEditable)
    }

    @Test("a form may get its questions from a server and send its answers to one")
    func remote() throws {
        let configuration = try FormSamples.read("remote.json")
        let form = try #require(configuration.form("favourites"))
        #expect(form.questions?.url == "https://forms.example.org/questions")
        #expect(form.submission?.url == "https://forms.example.org/answers")
        #expect(form.refreshSeconds == 3600)
        #expect(form.submission?.timeoutSeconds == 10)
        #expect(
            form.submission?.headers == [
                .init("X-Form", .text("1")), .init("Authorization", .secret(.file("token"))),
                .init("X-Key", .secret(.credential("forms-key"))), .init("X-Other", .secret(.environment("FORMS_KEY"))),
            ])
        #expect(form.questionnaire.questions.isEmpty)
        #expect(!form.isEditable)
        #expect(configuration.form("visit")?.questions == nil)
        #expect(configuration.form("visit")?.question("1")?.numericId == 1)
    }

    @Test("ids of questions are kept as they came, numbers as numbers and texts as texts")
    func ids() throws {
        let text = #"[{"id":1,"question":"What is your favourite colour?"},{"id":"2","question":"And food?"}]"#
        let read = Questionnaire.read(try Samples.json(text))
        #expect(read.issues == DocumentIssues())
        let questions = try #require(read.questionnaire?.questions)
        #expect(questions.map(\.id) == ["1", "2"])
        #expect(questions.map(\.numericId) == [1, nil])
        #expect(questions.map(\.prompt) == ["What is your favourite colour?", "And food?"])
        #expect(questions.allSatisfy { $0.kind == .text(.init()) && $0.isRequired })
    }

    @Test("what a server may send instead of questions is refused", arguments: ["{}", "[]", "5", #"["a"]"#, "[{}]"])
    func noQuestions(text: String) throws {
        #expect(Questionnaire.read(try Samples.json(text)).questionnaire == nil)
    }

    static let fixtures = ["refused", "refused-by-reader"].flatMap { folder in
        let found = try? FileManager.default.contentsOfDirectory(
            atPath: FormSamples.folder.appending(path: folder).path)
        return (found ?? []).map { "\(folder)/\($0)" }
    }.sorted()

    @Test("every document that the schema's tests call wrong is refused here, too", arguments: fixtures)
    func wrong(name: String) throws {
        let read = FormConfiguration.read(try FormSamples.document(name))
        #expect(read.configuration == nil)
        #expect(!read.issues.errors.isEmpty)
    }

    @Test("those documents are there, and the right ones are read without a word")
    func right() throws {
        #expect(Self.fixtures.count > 30)
        _ = try FormSamples.read("rules.json")
    }

    @Test("a fault is told with its path, all of them at once")
    func faults() throws {
        let read = FormConfiguration.read(
            try Samples.json(
                """
                {"forms": [
                  {"id": "a", "title": "T", "questions": [{"id": "q", "type": "single", "question": "?"}]},
                  {"id": "b", "title": "T", "submitURL": "ftp://e.org", "headers": {"X": {}},
                   "questions": [{"id": "q", "question": "?"}]}],
                 "profile": {"values": {"v": {"question": "q", "cases": {"x": null}}}, "summary": ["{v", 5]}}
                """))
        #expect(
            read.issues.errors.map(\.path).sorted() == [
                "$.forms[0].questions[0]", "$.forms[1].headers.X", "$.forms[1].submitURL", "$.profile.summary[0]",
                "$.profile.summary[1]", "$.profile.values.v.cases.x",
            ])
    }

    @Test("an answer for which the rules have nothing is warned of")
    func gap() throws {
        let read = FormConfiguration.read(
            try Samples.json(
                """
                {"forms": [{"id": "f", "title": "T",
                  "questions": [{"id": "q", "type": "single", "question": "?", "options": ["A", "B"]}]}],
                 "profile": {"values": {"v": {"question": "q", "cases": {"A": 1}}}}}
                """))
        #expect(read.configuration != nil)
        #expect(read.issues.warnings.map(\.path) == ["$.profile.values.v.cases"])
        #expect(read.issues.warnings.first?.message.contains("'B'") == true)
    }
}
