import HarkClient
import Testing

@Suite struct JSONTextTests {
    @Test("a member is found by its name, at its own level only")
    func member() {
        let text = JSONText(#" { "a" : {"b": 1}, "b" :[2, {"c":"]}"}] , "c":"x" } "#)
        #expect(text.member("a")?.text == #"{"b": 1}"#)
        #expect(text.member("b")?.text == #"[2, {"c":"]}"}]"#)
        #expect(text.member("c")?.string == "x")
        #expect(text.member("d") == nil)
    }

    @Test(
        "escapes of a string are resolved",
        arguments: [
            (#""plain""#, "plain"), (#""""#, ""), (#""a\"b\\c\/d""#, #"a"b\c/d"#),
            (#""\n\t\r\b\f""#, "\n\t\r\u{8}\u{C}"),
            (#""\u00e9\u20ac""#, "é€"), (#""\ud83d\ude00!""#, "😀!"), (#""\ud83d!""#, "\u{FFFD}!"), (#""né""#, "né"),
            (#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}"), (#""\u00""#, "\u{FFFD}"),
        ])
    func strings(text: String, expected: String) {
        #expect(JSONText(text).string == expected)
    }

    @Test("numbers and words are read as what they are, strings as none of them")
    func scalars() {
        #expect(JSONText("12").int == 12)
        #expect(JSONText("-1.5").double == -1.5)
        #expect(JSONText("1.0").int == nil)
        #expect(JSONText("true").bool == true)
        #expect(JSONText("null").isNull)
        #expect(JSONText(#""12""#).int == nil)
        #expect(JSONText("12").string == nil)
    }

    @Test("the elements of an array come in their order")
    func elements() {
        #expect(
            JSONText(#"[1, "a,b", [2,3], {"x": 4}]"#).elements.map(\.text) == ["1", #""a,b""#, "[2,3]", #"{"x": 4}"#])
        #expect(JSONText("[]").elements.isEmpty)
        #expect(JSONText("{}").elements.isEmpty)
    }

    @Test(
        "one object and nothing after it passes",
        arguments: ["{}", #"{"a":"}"}"#, #" {"a":[{"b":"\"}"}]}  "#, #"{"a\\":"{"}"#])
    func oneObject(text: String) {
        #expect(JSONText(text).isOneObject)
    }

    @Test(
        "what could reach out of a request does not pass as one object",
        arguments: [
            "", "[]", "1", #""{}""#, "{", "{}}", "{}{}", "{},", #"{"a":"}"#, #"{"a":1},"method":"event.clear""#,
            "{]", "{[}]", #"{"a":"\"}"#, #"{"a":[}"#,
        ])
    func notOneObject(text: String) {
        #expect(!JSONText(text).isOneObject)
    }

    @Test("nesting of 64 levels passes, of 65 does not")
    func nesting() {
        func nested(_ depth: Int) -> String {
            #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
        }
        #expect(JSONText(nested(64)).isOneObject)
        #expect(!JSONText(nested(65)).isOneObject)
    }

    @Test("bytes cut off anywhere are read without a trap")
    func cutOff() {
        let whole = Array(#"{"a":"\ud83d\ude00","b":[1,{"c":null}],"d":-1.5e3}"#.utf8)
        for end in whole.indices {
            let text = JSONText(whole[..<end])
            #expect(!text.isOneObject)
            for member in ["a", "b", "d"] as [StaticString] { _ = text.member(member)?.string }
            _ = text.member("b")?.elements
        }
    }
}
