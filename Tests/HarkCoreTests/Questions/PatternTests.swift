import HarkPattern
import HarkWire
import Testing

@testable import HarkCore

@Suite("The form of a text")
struct PatternTests {
    private static func read(_ members: String) -> (question: Question?, issues: DocumentIssues) {
        let text = #"[{"id":"q","question":"Q",\#(members)}]"#
        guard let document = try? JSONDocument(Array(text.utf8), .json).value else {
            preconditionFailure("no JSON: \(text)")
        }
        let (questionnaire, issues) = Questionnaire.read(document)
        return (questionnaire?.questions.first, issues)
    }

    static let compared: [(pattern: String, text: String, isRight: Bool)] = [
        ("[0-9]{5}", "12345", true), ("[0-9]{5}", "123456", false), ("[0-9]{5}", "x12345", false),
        // The whole text matches, so a shorter alternative is no end.
        ("a|ab", "ab", true), ("^a$", "a", true), ("a$", "a\n", false), (".", "é", true), (".", "👍", true),
        (#"\p{L}+"#, "Łódź", true), (#"\w+"#, "Łódź", false), (#"\d"#, "٣", false), ("(?i)straße", "STRAßE", true),
        (#"(\w)\1"#, "aa", true), ("(?=.*[0-9]).{3,}", "ab1", true), ("a\\x{0}b", "a\0b", true), ("", "", true),
    ]

    @Test("the whole text is compared, by characters and not by bytes", arguments: compared)
    func comparison(pattern: String, text: String, isRight: Bool) throws {
        #expect(try AnswerPattern(pattern).matches(text) == isRight)
    }

    static let hostile: [(pattern: String, text: String)] = [
        ("(a?){200}a{200}b?c?", String(repeating: "a", count: 199)),
        ("(?:a|b|ab)*c|(?:a|ba|b)*d|x*", String(repeating: "ab", count: 400)),
        (String(repeating: "(?=.*+)", count: 60) + "(?:.)*+x?", String(repeating: "a", count: 1_000)),
        ("(?:" + String(repeating: "(?=.*+)", count: 60) + ".)*", String(repeating: "a", count: 1_000)),
        ("(a*)*(b*)*(?1)*(?2)*[cd]", String(repeating: "ab", count: 500)),
        ("(*LIMIT_MATCH=4000000000)(*LIMIT_HEAP=4000000000)(a|aa)+[bc]", String(repeating: "a", count: 900)),
    ]

    @Test("an expression made to take long is given up", arguments: hostile)
    func cost(pattern: String, text: String) throws {
        let rule = try AnswerPattern(pattern)
        let clock = ContinuousClock()
        let took = clock.measure { _ = rule.matches(text) }
        #expect(took < .seconds(2), "\(took)")
    }

    @Test("a text that is too long is not compared")
    func length() throws {
        let rule = try AnswerPattern("a*")
        #expect(rule.matches(String(repeating: "a", count: 1_000)))
        #expect(!rule.matches(String(repeating: "a", count: 1_001)))
    }

    static let faults: [(String, String, String)] = [
        (
            #""pattern":"[0-9""#, "$[0].pattern",
            "missing terminating ] for character class (behind its first 4 characters)"
        ),
        (#""pattern":"*a""#, "$[0].pattern", "is no regular expression of PCRE2: quantifier does not follow"),
        (#""pattern":"ä(b""#, "$[0].pattern", "missing closing parenthesis (behind its first 3 characters)"),
        (#""pattern":"\\C""#, "$[0].pattern", "disabled"), (#""pattern":" ""#, "$[0].pattern", "must not be empty"),
        (#""pattern":5"#, "$[0].pattern", "must be a string"),
        (#""pattern":"\#(String(repeating: "x", count: 501))""#, "$[0].pattern", "more than 500 bytes"),
        (#""pattern":"(((a{90}){90}){90})""#, "$[0].pattern", "regular expression is too large"),
        (#""patternMessage":"x""#, "$[0].patternMessage", "needs a 'pattern'"),
        (#""pattern":"x","maxLength":251"#, "$[0].maxLength", "at most 250 with 'pattern'"),
        (#""pattern":"x","minLength":251"#, "$[0].minLength", "at most 250 with 'pattern'"),
    ]

    @Test("a fault is told at its member, with the words of PCRE2 and the place", arguments: faults)
    func documents(members: String, path: String, words: String) {
        let (question, issues) = Self.read(members)
        #expect(question == nil)
        #expect(issues.errors.contains { $0.path == path && $0.message.contains(words) }, "\(issues.errors)")
    }

    private static let zip = #""pattern":"[0-9]{5}","patternMessage":"Five digits.","required":false"#

    @Test("an answer of another form is refused with the author's words, and one of spaces is none")
    func answers() throws {
        let (read, issues) = Self.read(Self.zip)
        #expect(issues.errors.isEmpty && issues.warnings.isEmpty)
        let question = try #require(read)
        #expect(try question.accept(" 12345 ", path: "a") == .text("12345"))
        #expect(try question.accept("  ", path: "a") == nil)
        let error = #expect(throws: WireError.self) { try question.accept("1234", path: "answers.q") }
        #expect(error?.path == "answers.q")
        #expect(error?.message == "the answer to 'q' does not have the form that is asked for (pattern): Five digits.")
        let long = #expect(throws: WireError.self) {
            try question.accept(.string(String(repeating: "1", count: 251)), path: "a")
        }
        #expect(long?.message.contains("at most 250 characters") == true)
    }

    @Test("it is written for presenters, and its message is translated")
    func writing() throws {
        var question = try #require(Self.read(Self.zip).question)
        var texts = QuestionTranslation()
        texts.patternMessage = "Fünf Ziffern."
        question = question.translated(texts)
        let text = String(decoding: question.info().json, as: UTF8.self)
        #expect(text.contains(#""maxLength":250,"pattern":"[0-9]{5}","patternMessage":"Fünf Ziffern.""#), "\(text)")
    }

    @Test("a branch for an answer of another form is warned of")
    func branches() {
        let members = #""pattern":"[0-9]+","next":[{"when":"abc","to":"end"}]"#
        let warnings = Self.read(members).issues.warnings
        #expect(warnings.contains { $0.message.contains("its answers have another form (pattern)") }, "\(warnings)")
    }
}
