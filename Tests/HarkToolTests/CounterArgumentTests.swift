import Testing

@testable import HarkTool

@Suite struct CounterArgumentTests {
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(
        "C2: a value is JSON, or else a text as it is",
        arguments: [
            ("3", "3"), (" -1.5e3 ", "-1.5e3"), ("true", "true"), ("null", "null"), (#""a b""#, #""a b""#),
            ("pro", #""pro""#), ("", #""""#), ("03", #""03""#), ("nul", #""nul""#), ("a\"b", #""a\"b""#),
            ("[1, \"two\"]", #"[1, "two"]"#), ("{\n\"a\": 1\n}", #"{ "a": 1 }"#),
        ])
    func value(_ text: String, _ json: String) throws {
        #expect(Self.text(try ValueArgument.json(text)) == json)
    }

    @Test("a value that begins as JSON and is none is refused", arguments: ["[1", "{\"a\":1}}", "[1]]", "{\"a\":1},{"])
    func brokenValue(_ text: String) {
        #expect(throws: ToolError.self) { try ValueArgument.json(text) }
    }

    @Test(
        "C4: a condition is sent as it was written, as text or as JSON",
        arguments: [
            ("opens>=3", #""opens>=3""#), ("plan = \"pro\"", #""plan = \"pro\"""#), ("", #""""#),
            (#" {"any":[{"a":1}]} "#, #"{"any":[{"a":1}]}"#),
        ])
    func condition(_ text: String, _ json: String) throws {
        #expect(Self.text(try ConditionArgument.json(text)) == json)
    }

    @Test("what begins as the JSON of a condition and is none is refused")
    func noCondition() {
        #expect(throws: ToolError.self) { try ConditionArgument.json("{") }
    }
}
