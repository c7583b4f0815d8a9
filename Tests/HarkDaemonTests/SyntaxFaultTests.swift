import FoundationEssentials
import HarkWire
import Testing

@testable import HarkDaemon

/// Where a document that is not JSON goes wrong.
@Suite struct SyntaxFaultTests {
    @Test(
        "the first fault is told with its line and column",
        arguments: [
            ("", 1, 1, "there is nothing"),
            ("{\n  \"a\": 1 \"b\": 2\n}", 2, 10, "a comma is missing before this"),
            ("{\"ü\" 1}", 1, 6, "a colon is missing before this"),
            ("{\"a\": [1, 2}", 1, 12, "this bracket closes nothing that is open"),
            ("// one\n{\"a\": {\n", 3, 1, "it ends here, and the { of line 2 is still open"),
            ("[1,,2]", 1, 4, "there is a comma too many"),
            ("{\"a\":}", 1, 6, "a value is missing"),
            ("{\"a\"}", 1, 5, "a value is missing"),
            ("{\"a\": blue}", 1, 7, "'blue' is no value; a text stands in quotes"),
            ("{\"a\": \"blue}\n", 1, 7, "this text does not end in its line"),
            ("{\"a\": \"b\\\"", 1, 7, "this text does not end"),
            ("{\"a\": \"b\\", 1, 7, "this text does not end"),
            ("{} {}", 1, 4, "something follows the end"),
            ("{\"a\": 1}}", 1, 9, "this bracket closes nothing that is open"),
            ("{\"a\":: 1}", 1, 6, "there is a colon too many"),
            ("{ /* \"a\": 1 }", 1, 3, "this comment does not end"),
            ("{ {} }", 1, 3, "a name is missing"),
            ("/*", 1, 1, "this comment does not end"),
        ] as [(String, Int, Int, String)])
    func faults(_ text: String, _ line: Int, _ column: Int, _ problem: String) throws {
        let fault = try #require(SyntaxFault(in: Array(text.utf8)))
        #expect(fault.line == line && fault.column == column && fault.problem == problem, "\(fault)")
        #expect(throws: (any Error).self) { try Self.decode(text) }
    }

    @Test(
        "what the decoder takes has no fault",
        arguments: [
            "{}", " [1, -2.5e3, 'x', \"\\\"\", true, null,] // end", "{a: 1, 'b': [ ], \"c\": {\"d\": +1,},}",
            "/* a */ \"text\"", "\u{FEFF}{\"a\": \"//\"}", "{\"a\": \"it's\"}\n",
        ])
    func fine(_ text: String) throws {
        _ = try Self.decode(text)
        #expect(SyntaxFault(in: Array(text.utf8)) == nil)
    }

    @Test("what is finer is told without a place")
    func finer() {
        #expect(SyntaxFault.message(for: Array(#"{"a": "\q"}"#.utf8)) == "this is not JSON")
    }

    private static func decode(_ text: String) throws -> JSONValue {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        return try decoder.decode(JSONValue.self, from: Data(text.utf8))
    }
}
