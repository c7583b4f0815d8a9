import HarkWire
import Testing

@testable import HarkCore

@Suite("Conditions as text")
struct ConditionTextTests {
    @Test(
        "a text says what the JSON of a condition can say",
        arguments: [
            ("opens>=3", #"{"opens":{"op":"gte","value":3}}"#), ("opens = 3", #"{"opens":{"op":"eq","value":3}}"#),
            ("a==1", #"{"a":{"op":"eq","value":1}}"#), ("a <> 1", #"{"a":{"op":"ne","value":1}}"#),
            ("a != true", #"{"a":{"op":"ne","value":true}}"#), ("n<-1", #"{"n":{"op":"lt","value":-1}}"#),
            ("n <= -1.5e3", #"{"n":{"op":"lte","value":-1500.0}}"#), ("n = 03", #"{"n":{"op":"eq","value":"03"}}"#),
            ("v = 1.2.3", #"{"v":{"op":"eq","value":"1.2.3"}}"#), ("v = 0", #"{"v":{"op":"eq","value":0}}"#),
            ("n = 9223372036854775807", #"{"n":{"op":"eq","value":9223372036854775807}}"#),
            (#"plan = "pro plan""#, #"{"plan":{"op":"eq","value":"pro plan"}}"#),
            (#""first name"='Bo\'s \x'"#, #"{"first name":{"op":"eq","value":"Bo's \\x"}}"#),
            ("plan exists", #"{"plan":{"op":"exists"}}"#), ("plan not exists", #"{"plan":{"op":"notExists"}}"#),
            ("not plan exists", #"{"not":{"plan":{"op":"exists"}}}"#),
            ("t contains 5", #"{"t":{"op":"contains","value":"5"}}"#),
            ("t NOT CONTAINS 'or'", #"{"t":{"op":"notContains","value":"or"}}"#),
            (
                "a in (1, x)",
                #"{"any":[{"a":{"op":"eq","value":1}},{"a":{"op":"eq","value":"x"}}]}"#
            ),
            (
                "a not in (1,2)",
                #"{"all":[{"a":{"op":"ne","value":1}},{"a":{"op":"ne","value":2}}]}"#
            ),
            (
                "a=1 or b=2 and not c=3",
                #"""
                {"any":[{"a":{"op":"eq","value":1}},{"all":[{"b":{"op":"eq","value":2}},\#
                {"not":{"c":{"op":"eq","value":3}}}]}]}
                """#
            ),
            (
                "(a=1 OR b=2)AND c=3",
                #"""
                {"all":[{"any":[{"a":{"op":"eq","value":1}},{"b":{"op":"eq","value":2}}]},\#
                {"c":{"op":"eq","value":3}}]}
                """#
            ),
            ("@user = ada", #"{"@user":{"op":"eq","value":"ada"}}"#),
        ])
    func texts(_ text: String, _ json: String) throws {
        #expect(try ConditionText.read(text).document.description == json)
    }

    @Test("'changed' asks which counter it is, where that can be asked, and is a name else")
    func changed() throws {
        #expect(try ConditionText.read("changed opens", seesChange: true) == .changed(["opens"]))
        #expect(try ConditionText.read("changed = 1", seesChange: true) == .value("changed", Matcher(.eq, 1)))
        #expect(try ConditionText.read("changed exists", seesChange: true) == .value("changed", Matcher(.exists)))
        #expect(throws: ConditionFault.self) { try ConditionText.read("changed opens") }
    }

    @Test(
        "what is no condition is refused, and the place told",
        arguments: [
            ("", "at its end"), ("opens", "at its end"), (">=3", "at character 1, '>='"), ("opens>=", "at its end"),
            ("a=1 and", "at its end"), ("and", "at character 1, 'and'"), ("a=>3", "at character 3, '>'"),
            ("a>>3", "at character 3, '>'"), ("a>x", "at character 3, 'x'"), ("a > \"5\"", "at character 5, '5'"),
            ("a = pro plan", "at character 9, 'plan'"), ("a=1 b=2", "at character 5, 'b'"),
            ("(a=1", "at its end"), ("a=1)", "at character 4, ')'"), ("a in 1", "at character 6, '1'"),
            ("a in (1 2)", "at character 9, '2'"), ("a in ()", "at character 7, ')'"),
            ("a not 3", "at character 7, '3'"),
            ("a = null", "at character 5, 'null'"), ("a = \"x", "at character 5"), ("a ! 3", "at character 3, '!'"),
            ("ä = and", "at character 5, 'and'"), ("a = 1e999 > 2", "at character 11, '>'"),
            ("a > 1e999", "at character 5, '1e999'"), ("a=1,b=2", "at character 4, ','"),
        ])
    func faults(_ text: String, _ place: String) {
        let fault = #expect(throws: ConditionFault.self) { try ConditionText.read(text) }
        #expect(fault?.message.contains(place) ?? false, "\(fault?.message ?? "")")
    }

    @Test("what is too long or too deep is refused, and quickly")
    func hostile() {
        for text in [
            String(repeating: "(", count: 8_000), String(repeating: "not ", count: 2_000) + "a=1",
            String(repeating: "a=1 or ", count: 2_000) + "a=1", String(repeating: "\"", count: 8_001),
        ] {
            #expect(throws: ConditionFault.self) { try ConditionText.read(text) }
        }
    }
}
