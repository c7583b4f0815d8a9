import HarkClient
import Testing

@testable import HarkTool

@Suite struct PropertyArgumentsTests {
    @Test(
        "properties become members in their order",
        arguments: [
            ([], "{}"), (["a=b"], #"{"a":"b"}"#), (["b=1", "a:=1"], #"{"b":"1","a":1}"#), (["a="], #"{"a":""}"#),
            (["a=b=c"], #"{"a":"b=c"}"#), (["a:b=c"], #"{"a:b":"c"}"#), (["a=:=5"], #"{"a":":=5"}"#),
            (["a=\"\n\u{1F600}"], "{\"a\":\"\\\"\\n\u{1F600}\"}"), (["x:=-1.5e+10"], #"{"x":-1.5e+10}"#),
            (["x:=true", "y:=false"], #"{"x":true,"y":false}"#), ([#"x:="a\u00e9\n""#], #"{"x":"a\u00e9\n"}"#),
            (["a:=null", "b:=1"], #"{"b":1}"#), (["a:=null"], "{}"), (["ключ=значение"], #"{"ключ":"значение"}"#),
        ])
    func makes(arguments: [String], expected: String) throws {
        #expect(String(decoding: try PropertyArguments(arguments).json, as: UTF8.self) == expected)
    }

    @Test("one that is given twice is found among many", arguments: [0, 20, 31, 32, 33, 98])
    func twice(place: Int) throws {
        var many = (0..<99).map { "key\($0)=\($0)" }
        let all = try PropertyArguments(many)
        #expect(all.has("key98") && !all.has("key99"))
        many.append("key\(place)=again")
        let error = #expect(throws: ToolError.self) { try PropertyArguments(many) }
        #expect(error?.message == "property 'key\(place)' is given twice")
    }

    @Test(
        "what is wrong is named, with what to write instead",
        arguments: [
            (["host"], "'host' is no property", "host=text"), (["=x"], "has no name", nil),
            ([":=5"], "has no name", nil),
            (["a=1", "a:=2"], "'a' is given twice", nil), (["a:=b"], "'a' after ':='", "'a=b'"),
            (["a:="], "'a' after ':='", nil), (["a:=1,\"b\":2"], "'a' after ':='", nil),
            (["a:=01"], "'a' after ':='", nil),
            (["a:=NaN"], "'a' after ':='", nil), (["a:=1."], "'a' after ':='", nil), (["a:=1e"], "'a' after ':='", nil),
            (["a:=\"x"], "'a' after ':='", nil), (["a:=\"x\"y\""], "'a' after ':='", nil),
            (["a:=\"\\x\""], "'a' after ':='", nil), (["a:=\"\\u00g0\""], "'a' after ':='", nil),
            (["a:=\"\n\""], "'a' after ':='", nil), (["a:=True"], "'a' after ':='", nil),
            (["a:=[1]"], "'a' must be text, a number, true or false", "'a=[1]'"),
            (["a:={}"], "'a' must be text", nil),
        ] as [([String], String, String?)])
    func refuses(arguments: [String], message: String, hint: String?) {
        #expect {
            try PropertyArguments(arguments)
        } throws: { error in
            guard let error = error as? ToolError else { return false }
            return error.exit == .usage && error.message.contains(message)
                && hint.map { error.hint?.contains($0) == true } != false
        }
    }
}
