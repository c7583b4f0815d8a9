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
        "a member that is mostly the last is found from the end, and where it is not",
        arguments: [
            (#"{"a":[{"next":"1"}],"next":"17"}"#, #""17""#), (#"{"next":null}"#, "null"),
            (#"{"b":":","next":-7}"#, "-7"),
            (#"{"next":"a:\"b\\"}"#, #""a:\"b\\""#), (#"{"next":"1","warnings":["x"]}"#, #""1""#),
            (#"{"next":"1","b":2}"#, #""1""#), (#"{"next": 5 }"#, "5"), (#"{ "next" :"5"}"#, #""5""#),
            (#"{"x\"next":"5"}"#, nil), (#"{"xnext":"5"}"#, nil), (#"{"a":{"next":"5"}}"#, nil),
            (#"{"a":[{"next":5}]}"#, nil), (#"{"a":"\"next\":5"}"#, nil), ("{}", nil), ("", nil), ("{", nil),
            ("}", nil),
            (#""next":5"#, nil), ("[5]", nil), (#"{""}"#, nil), (#"{:5}"#, nil),
        ] as [(String, String?)])
    func ending(text: String, value: String?) {
        #expect(JSONText(text).ending("next")?.text == value)
    }

    @Test("eight bytes at a time, a string ends where it ends a byte at a time")
    func stringEnds() {
        var random = SplitMix64(state: 12)
        let pieces = ["a", "bcdefg", "\\", "\"", "\\\"", "é", "\u{1}", "!", "#", "[", "]", "\u{80}", "{}, "]
        for _ in 0..<20_000 {
            let text = Array(("\"" + (0..<random.below(10)).map { _ in random.pick(pieces) }.joined() + "\",1]").utf8)
            var (end, isEscaped) = (1, false)
            while end < text.count, text[end] != .quote || isEscaped {
                isEscaped = text[end] == .backslash && !isEscaped
                end += 1
            }
            let elements = JSONText(ArraySlice([.openBracket] + text)).elements
            #expect(elements.first?.bytes.elementsEqual(text[..<min(end + 1, text.count)]) ?? (end >= text.count))
        }
    }

    @Test("names are found in any order, whatever they are escaped like, and others are not")
    func names() {
        var names = MemberNames(["a", "b\"c", "", "größe", "a"])
        func place(_ key: String) -> Int? {
            Array(key.utf8).withUnsafeBufferPointer { names.place(of: $0[...]) }
        }
        #expect(
            ["a", #"b\"c"#, "größe", "b", "", #"\u0062\u0022c"#, #"gr\u00f6ße"#, #"\"#, "größ"].map(place)
                == [0, 1, 3, nil, 2, 1, 3, nil, nil])
        var none = MemberNames([])
        #expect(Array("a".utf8).withUnsafeBufferPointer { none.place(of: $0[...]) } == nil)
    }

    @Test("a scanner steps through what is there, over what is of another kind, and never on where bytes are cut off")
    func steps() {
        let whole = Array(#"{"a" : {"b":1 , "c":[1,"]",{}]} ,"d":null, "e":[] } "#.utf8)
        func read(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
            var found: [String] = []
            var scanner = JSONScanner(bytes)
            func text(_ range: Range<Int>?) -> String {
                range.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "-"
            }
            scanner.members { scanner, key in
                found.append(text(key))
                scanner.members { scanner, key in
                    found.append(text(key))
                    scanner.elements { found.append(text($0.value())) }
                }
            }
            return found
        }
        #expect(whole.withUnsafeBufferPointer(read) == ["a", "b", "c", "1", #""]""#, "{}", "d", "e"])
        for end in whole.indices { whole[..<end].withUnsafeBufferPointer { #expect(read($0).count <= 8) } }
        // Where `body` does not step on, there is nothing more.
        var count = 0
        for text in ["[1,2]", "[[1]"] {
            Array(text.utf8).withUnsafeBufferPointer {
                var scanner = JSONScanner($0)
                scanner.elements { _ in count += 1 }
            }
        }
        #expect(count == 2)
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
