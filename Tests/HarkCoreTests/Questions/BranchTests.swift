import HarkWire
import Testing

@testable import HarkCore

/// Branches and conditions that nothing fulfils are warned of.
@Suite struct BranchTests {
    private static let end = #"{"id": "z", "question": "?"}"#

    /// The warnings about the first of three questions, with their paths within it.
    private static func warnings(_ members: String, next: String) throws -> [String] {
        let first = #"{"id": "a", "question": "?", \#(members), "next": [\#(next)]}"#
        let text = #"[\#(first), {"id": "b", "question": "?"}, \#(end)]"#
        let read = Questionnaire.read(try JSONDocument(Array(text.utf8), .json).value)
        #expect(read.issues.errors == [])
        #expect(read.questionnaire != nil)
        return read.issues.warnings.map { "\($0.path) \($0.message)" }
    }

    private static let single = #""type": "single", "options": ["Good", "Bad"]"#
    private static let multiple = #""type": "multiple", "options": ["x", "y", "w"], "minSelections": 2"#

    @Test(
        "a branch that no answer takes is told with its reason",
        arguments: [
            (single, #"{"when": "Gone", "to": "z"}"#, "it has no option 'Gone'; it has 'Good', 'Bad'"),
            (single, #"{"when": {"op": "gt", "value": 3}, "to": "z"}"#, "its answers are texts"),
            (single, #"{"when": 1, "to": "z"}"#, "its answers are texts"),
            (single, #"{"when": {"op": "contains", "value": "q"}, "to": "z"}"#, "it has the options 'Good', 'Bad'"),
            (single, #"{"when": {"op": "notExists"}, "to": "z"}"#, "it needs an answer"),
            (multiple, #"{"when": "x", "to": "z"}"#, #"say {"op": "contains""#),
            (multiple, #"{"when": {"op": "contains", "value": "q"}, "to": "z"}"#, "it has no option 'q'"),
            (multiple, #"{"when": {"op": "lt", "value": 3}, "to": "z"}"#, "no numbers"),
            (
                #""type": "rating", "scale": 5"#, #"{"when": {"op": "gt", "value": 5}, "to": "z"}"#,
                "numbers from 1 to 5"
            ),
            (#""type": "rating""#, #"{"when": "5", "to": "z"}"#, "its answers are numbers"),
            (#""type": "nps""#, #"{"when": {"op": "lt", "value": 0}, "to": "z"}"#, "numbers from 0 to 10"),
            (#""type": "text""#, #"{"when": 5, "to": "z"}"#, "its answers are texts"),
            (#""type": "text", "minLength": 3"#, #"{"when": "no", "to": "z"}"#, "at least 3 characters"),
            (#""type": "text""#, #"{"when": {"op": "gte", "value": 3}, "to": "z"}"#, "no numbers"),
        ])
    func impossible(members: String, next: String, reason: String) throws {
        let warnings = try Self.warnings(members, next: next)
        #expect(warnings.count == 1 && warnings[0].hasPrefix("$[0].next[0].when no answer to 'a' takes this branch"))
        #expect(warnings.first?.contains(reason) == true, "\(warnings)")
    }

    @Test(
        "a branch that some answer takes is fine",
        arguments: [
            (single, #"{"when": "Good", "to": "z"}, {"when": {"op": "ne", "value": "Good"}, "to": "b"}"#),
            (#""type": "rating""#, #"{"when": {"op": "gte", "value": 5}, "to": "z"}"#),
            (#""type": "text", "required": false"#, #"{"when": {"op": "notExists"}, "to": "z"}"#),
            (
                multiple,
                #"{"when": {"op": "contains", "value": "x"}, "to": "z"}, {"when": {"op": "notContains", "value": "y"}, "to": "b"}"#
            ),
            (#""type": "text""#, #"{"when": {"op": "contains", "value": " "}, "to": "z"}"#),
        ])
    func possible(members: String, next: String) throws {
        #expect(try Self.warnings(members, next: next) == [])
    }

    @Test("a branch behind those that take all there is, and a question only it leads to, are told")
    func covered() throws {
        let after = #"{"to": "z"}, {"when": "Bad", "to": "b"}"#
        #expect(
            try Self.warnings(Self.single, next: after) == [
                "$[0].next[1].when is never looked at: what stands before it takes every answer",
                "$[1] no way leads to the question 'b'",
            ])
        let all = #"{"when": "Good", "to": "z"}, {"when": {"op": "contains", "value": "oo"}, "to": "b"}"#
        #expect(
            try Self.warnings(Self.single, next: all) == [
                "$[0].next[1].when no answer to 'a' takes this branch: those before it take all that it would"
            ])
        let both = #"{"when": "Good", "to": "z"}, {"when": "Bad", "to": "z"}"#
        #expect(try Self.warnings(Self.single, next: both) == ["$[1] no way leads to the question 'b'"])
        #expect(try Self.warnings(Self.single + #", "required": false"#, next: both) == [])
    }

    @Test(
        "conditions that contradict themselves are told, and others not",
        arguments: [
            ("n > 5 and n < 3", "n"), ("n >= 3 and n < 3", "n"), ("plan = pro and plan = free", "plan"),
            ("n = 2 and n > 2", "n"), ("n exists and n not exists", "n"), ("a = 1 and (b > 2 and b <= 2)", "b"),
            ("n > 5 or n < 3", nil), ("n >= 3 and n <= 3", nil), ("n > 3 and n < 4", nil), ("a = 1 and b = 2", nil),
            ("n > 5 and n contains x", "n"), ("t contains x and t <= 2", "t"), ("n > 5 and n not contains x", nil),
            ("plan = pro and plan != free", nil), ("(n > 5 and n < 3) or m = 1", nil),
        ] as [(String, String?)])
    func contradictions(text: String, name: String?) throws {
        let condition = try #require(Condition.read(.string(text), path: "$").condition)
        #expect(condition.impossible == name)
    }

    @Test(
        "conditions on counters of the settings that are never of that kind are told, and others not",
        arguments: [
            ("n = 'a'", "'n' is a number, and this asks for a text"),
            ("t > 5", "'t' is a text, and this asks for a number"),
            ("n contains a", "'n' is a number, and this asks for a text"),
            ("b = 1", "'b' is true or false, and this asks for a number"),
            ("l = 1", "'l' is a list, and this asks for one value"), ("n > 5 and t = 1", "'t' is a text"),
            ("n = 'a' or t > 5", "'n' is a number"), ("n = 'a' or n = 1", nil), ("n > 5 and t contains a", nil),
            ("l contains a", nil), ("not (n = 'a')", nil), ("n != 'a'", nil), ("other = 'a'", nil), ("mine = 'a'", nil),
            ("b = true", nil), ("n not contains a", nil),
        ] as [(String, String?)])
    func kinds(text: String, words: String?) throws {
        let counters = """
            "counters": {"n": {}, "t": {"initial": "a"}, "b": {"initial": false}, "l": {"initial": []},
              "mine": {"initial": 1, "app": "shop"}}
            """
        func warnings(_ document: String) throws -> [String] {
            let issues = IssueCollector()
            var reader = try #require(
                ObjectReader(try JSONDocument(Array(document.utf8), .json).value, path: "$", issues: issues))
            let settings = CounterConfiguration.read(&reader)
            let surveys = """
                {"surveys": [{"id": "s", "title": "T", "message": "M", "options": ["x"],
                  "trigger": {"event": {"name": "e"}, "counters": \(JSONValue.string(text))}}]}
                """
            let read = SurveyConfiguration.read(try JSONDocument(Array(surveys.utf8), .json).value, settings)
            return (issues.issues.errors + issues.issues.warnings + read.issues.errors + read.issues.warnings).map {
                "\($0.path): \($0.message)"
            }
        }
        let execution = #"{"id": "x", "when": \#(JSONValue.string(text)), "run": {"notify": true}}"#
        let found = try warnings(#"{\#(counters), "executions": [\#(execution)]}"#)
        if let words {
            #expect(
                found.count == 2 && found.allSatisfy { $0.contains("nothing fulfils this: the counter \(words)") },
                "\(found)")
            #expect(found.first?.hasPrefix("$.executions[0].when:") == true)
            #expect(found.last?.hasPrefix("$.surveys[0].trigger.counters:") == true)
        } else {
            #expect(found == [])
        }
        // Without the counters nothing is known.
        #expect(try warnings(#"{"executions": [\#(execution)]}"#) == [])
    }

    @Test("a survey that follows an answer another one does not give is told")
    func followUp() throws {
        func warnings(_ option: String) throws -> [String] {
            let follow =
                #"{"event": {"name": "survey_response", "properties": {"id": "rating", "option": "\#(option)"}}}"#
            let text = """
                {"surveys": [
                  {"id": "why", "title": "T", "message": "M", "options": ["x"], "trigger": \(follow)},
                  {"id": "rating", "title": "T", "message": "M", "options": ["Poor", "Good"], "trigger": {"event": {"name": "e"}}}
                ]}
                """
            let read = SurveyConfiguration.read(try JSONDocument(Array(text.utf8), .json).value)
            return read.issues.warnings.map(\.message)
        }
        #expect(try warnings("Poor") == [])
        #expect(try warnings("Bad") == ["the survey 'rating' has no option 'Bad'; it has 'Poor', 'Good'"])
    }
}
