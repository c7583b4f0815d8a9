import HarkClient
import HarkTesting
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

    @Test("eight bytes at a time, a value ends where it ends a byte at a time")
    func lengths() {
        var random = SplitMix64(state: 11)
        let pieces = ["{", "}", "[", "]", "\"", "\"", "\\", ",", ":", "a", "bc", "def ghi jkl", "é", "\\\"", "\"}\""]
        var found = 0
        for _ in 0..<50_000 {
            let inner = (0..<random.below(12)).map { _ in random.pick(pieces) }.joined()
            let text = Array((random.once(in: 2) ? "{\(inner)}" : "{\"k\":\"\(inner)\"}").utf8)
            let isWhole = Self.length(of: text) == text.count
            #expect(JSONText(ArraySlice(text)).isOneObject == isWhole, "\(String(decoding: text, as: UTF8.self))")
            if isWhole { found += 1 }
        }
        #expect((1_000...49_000).contains(found))
    }

    /// How long the object at the start is; nil if it does not end.
    private static func length(of bytes: [UInt8]) -> Int? {
        var open: [UInt8] = []
        var (isInString, isEscaped) = (false, false)
        for (place, byte) in bytes.enumerated() {
            if isInString {
                isInString = isEscaped || byte != .quote
                isEscaped = byte == .backslash && !isEscaped
                continue
            }
            switch byte {
            case .quote: isInString = true
            case .openBrace, .openBracket: open.append(byte)
            case .closeBrace, .closeBracket:
                guard open.popLast() == (byte == .closeBrace ? .openBrace : .openBracket) else { return nil }
                if open.isEmpty { return place + 1 }
            default: break
            }
        }
        return nil
    }

    @Test(
        "a page is its elements and the place where the next begins, in whatever order its members come",
        arguments: [
            (#"{"events":[{"a":"]"},{"b":[1]}],"nextAfterSeq":7}"#, [#"{"a":"]"}"#, #"{"b":[1]}"#], 7),
            (#"{ "events" : [ {"a":1} , 2 ] , "warnings":["x"] , "nextAfterSeq" : 7 }"#, [#"{"a":1}"#, "2"], 7),
            (#"{"nextAfterSeq":7,"events":[1]}"#, ["1"], 7), (#"{"events":[],"nextAfterSeq":null}"#, [], nil),
            (#"{"events":[1"#, ["1"], nil), (#"{"other":1}"#, [], nil), ("[1]", [], nil), ("", [], nil),
        ] as [(String, [String], Int64?)])
    func page(text: String, elements: [String], next: Int64?) {
        let text = JSONText(text)
        let page = text.page(of: "events", next: "nextAfterSeq")
        #expect(page.elements.map { String(decoding: text.bytes[$0], as: UTF8.self) } == elements)
        #expect(page.next?.int == next)
    }

    @Test(
        "a result is found however its line is laid out",
        arguments: [
            #"{"jsonrpc":"2.0","id":17,"result":{"a":[{}]}}"#, #"{"jsonrpc":"2.0", "id":17,"result":{"a":[{}]}}"#,
            #"{"result":{"a":[{}]},"id":17}"#, #"{"jsonrpc":"2.0","id":17,"more":1,"result":{"a":[{}]}}"#,
            #"{"jsonrpc":"2.0","id":17,"result":{"a":[{}]},"more":1}"#,
        ])
    func results(line: String) throws {
        guard case .result(17?, let result) = try Incoming(ArraySlice(line.utf8)) else {
            Issue.record("no result")
            return
        }
        #expect(result.text == #"{"a":[{}]}"#)
        guard case .result(nil, _) = try Incoming(ArraySlice(line.replacing("17", with: "null").utf8)) else {
            Issue.record("no result without an id")
            return
        }
    }
}
