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
        "C4: a condition is a comparison, several joined by 'and', or the protocol's JSON",
        arguments: [
            ("opens>=3", #"{"opens":{"op":"gte","value":3}}"#), ("opens = 3", #"{"opens":{"op":"eq","value":3}}"#),
            ("plan=pro plan", #"{"plan":{"op":"eq","value":"pro plan"}}"#),
            ("a != true", #"{"a":{"op":"ne","value":true}}"#), ("a==1", #"{"a":{"op":"eq","value":1}}"#),
            ("plan=one or two", #"{"plan":{"op":"eq","value":"one or two"}}"#),
            ("n<-1", #"{"n":{"op":"lt","value":-1}}"#), ("a=b>=c", #"{"a":{"op":"eq","value":"b>=c"}}"#),
            (
                "a>1 and a<=5 and sand=band",
                #"{"all":[{"a":{"op":"gt","value":1}},{"a":{"op":"lte","value":5}},{"sand":{"op":"eq","value":"band"}}]}"#
            ),
            ("changed opens", #"{"changed":["opens"]}"#),
            ("changed a and b>1", #"{"all":[{"changed":["a"]},{"b":{"op":"gt","value":1}}]}"#),
            ("changed = a", #"{"changed":{"op":"eq","value":"a"}}"#),
            (#" {"any":[{"a":1}]} "#, #"{"any":[{"a":1}]}"#),
        ])
    func condition(_ text: String, _ json: String) throws {
        #expect(Self.text(try ConditionArgument.json(text)) == json)
    }

    @Test(
        "a condition that is none is refused",
        arguments: [
            "", "opens", ">=3", "opens>=", "a=1 and", "and", "{", "a=>3", "a=<3", "a>>3", "a>=3 or b>=2",
            "c=1 and a=one or b=two",
        ])
    func noCondition(_ text: String) {
        #expect(throws: ToolError.self) { try ConditionArgument.json(text) }
    }
}
