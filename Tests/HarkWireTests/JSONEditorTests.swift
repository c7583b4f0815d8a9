import HarkTesting
import HarkWire
import Testing

/// A member is put into a text that a person wrote, and taken out of it.
@Suite struct JSONEditorTests {
    private static let value: JSONObject = ["broker": "mqtt://b:1883", "shards": 2]

    private func added(_ text: String) throws -> String {
        var editor = try JSONEditor(Array(text.utf8))
        try editor.add("fleet", Self.value)
        return String(decoding: editor.bytes, as: UTF8.self)
    }

    private func removed(_ text: String) throws -> String {
        var editor = try JSONEditor(Array(text.utf8))
        #expect(try editor.remove("fleet"))
        return String(decoding: editor.bytes, as: UTF8.self)
    }

    @Test(
        "the member is the last, laid out as those before it, and what is taken out again leaves no trace",
        arguments: [
            ("{}", #"{"fleet": {"broker": "mqtt://b:1883", "shards": 2}}"#),
            (#"{"a": 1}"#, #"{"a": 1, "fleet": {"broker": "mqtt://b:1883", "shards": 2}}"#),
            (#"{a: 1,}"#, #"{a: 1, "fleet": {"broker": "mqtt://b:1883", "shards": 2},}"#),
            ("{\n}\n", "{\n  \"fleet\": {\n    \"broker\": \"mqtt://b:1883\",\n    \"shards\": 2\n  }\n}\n"),
            (
                "// mine\n{\n    'a': 1 // one\n}",
                "// mine\n{\n    'a': 1, // one\n    \"fleet\": {\n        \"broker\": \"mqtt://b:1883\",\n"
                    + "        \"shards\": 2\n    }\n}"
            ),
            (
                "{\n\ta: [1, 2,], // one\n\t/* two */\n}\n// end\n",
                "{\n\ta: [1, 2,], // one\n\t/* two */\n\t\"fleet\": {\n\t\t\"broker\": \"mqtt://b:1883\",\n"
                    + "\t\t\"shards\": 2\n\t},\n}\n// end\n"
            ),
            (
                "{\r\n  \"a\": 1\r\n}\r\n",
                "{\r\n  \"a\": 1,\r\n  \"fleet\": {\r\n    \"broker\": \"mqtt://b:1883\",\r\n    \"shards\": 2\r\n  }\r\n}\r\n"
            ),
        ])
    func adding(_ text: String, _ expected: String) throws {
        #expect(try added(text) == expected)
        #expect(try removed(expected) == text)
    }

    @Test("a text without a value gets an object", arguments: ["", "\n", "// mine\n", "/* mine */"])
    func blank(_ text: String) throws {
        let new = try added(text)
        #expect(new.hasPrefix(text) && new.hasSuffix("\n  }\n}\n"))
        #expect(try JSONDocument(Array(new.utf8), .json5).value == ["fleet": .object(Self.value)])
    }

    @Test(
        "a member goes from wherever it stands, and comments stay",
        arguments: [
            (#"{"fleet": {}, "a": 1}"#, #"{"a": 1}"#), (#"{"a": 1, 'fleet': null, "b": 2}"#, #"{"a": 1, "b": 2}"#),
            ("{ fleet: {} }", "{ }"), ("{\n  fleet: {}, // of the shop\n  a: 1\n}", "{ // of the shop\n  a: 1\n}"),
            ("{\n  // of the shop\n  fleet: {}, a: 1\n}", "{\n  // of the shop\n   a: 1\n}"),
            ("{\n  a: 1, // one\n  fleet: {} }", "{\n  a: 1 // one\n   }"),
            (#"{"a": 1 /* , */, /* two */ "fleet": {} /* three */}"#, "{\"a\": 1 /* , */ /* two */ /* three */}"),
            (#"{"fleet": 1, "a": 1, "fl\u0065et": 2}"#, #"{"a": 1}"#),
        ])
    func removing(_ text: String, _ expected: String) throws {
        #expect(try removed(text) == expected)
    }

    @Test("what is no object is refused with its place, and a fault with its own")
    func refusals() {
        #expect(
            throws: JSONFault(
                place: TextPlace(line: 2, column: 1), problem: "it has no members, as it is no object in braces")
        ) {
            try JSONEditor(Array("\n[]".utf8))
        }
        #expect(throws: JSONFault(place: TextPlace(line: 1, column: 9), problem: "a comma is missing before this")) {
            try JSONEditor(Array(#"{"a": 1 "b": 2}"#.utf8))
        }
    }

    @Test(
        "an element is the last of its array, laid out as those before it, and what is taken out again leaves no trace",
        arguments: [
            ("{\n  // all\n  \"a\": []\n}\n", "{\n  // all\n  \"a\": [\n    {\"n\":1}\n  ]\n}\n"),
            (#"{"a": [{"m":2}], "b": 1}"#, #"{"a": [{"m":2}, {"n":1}], "b": 1}"#),
            (
                "{\n  a: [\n    {m: 2}, // two\n  ], // end\n}\n",
                "{\n  a: [\n    {m: 2}, // two\n    {\"n\":1},\n  ], // end\n}\n"
            ),
            ("{'a' : /* x */ [\n\t1 // one\n]}", "{'a' : /* x */ [\n\t1, // one\n\t{\"n\":1}\n]}"),
        ])
    func elements(_ text: String, _ expected: String) throws {
        var editor = try JSONEditor(Array(text.utf8))
        try editor.append(["n": 1], to: "a")
        #expect(String(decoding: editor.bytes, as: UTF8.self) == expected)
        let last = try #require(editor["a"]?.arrayValue).count - 1
        try editor.removeElement(last, of: "a")
        #expect(String(decoding: editor.bytes, as: UTF8.self) == text)
    }

    @Test(
        "an array that is not there is made, an element goes from wherever it stands, and what is no array is refused")
    func moreElements() throws {
        var editor = try JSONEditor(Array("{\n  \"b\": 1\n}\n".utf8))
        try editor.append(["n": .string(String(repeating: "x", count: 90)), "m": ["k": 1]], to: "a")
        let x = String(repeating: "x", count: 90)
        #expect(
            String(decoding: editor.bytes, as: UTF8.self)
                == "{\n  \"b\": 1,\n  \"a\": [\n    {\n      \"n\": \"\(x)\",\n      \"m\": {\"k\":1}\n    }\n  ]\n}\n")
        var many = try JSONEditor(Array("{a: [1, /* two */ 2, 3]}".utf8))
        try many.removeElement(1, of: "a")
        #expect(many["a"] == [1, 3])
        try many.removeElement(0, of: "a")
        try many.removeElement(5, of: "a")
        #expect(many["a"] == [3])
        #expect(throws: JSONFault.self) {
            var wrong = try JSONEditor(Array(#"{"a": {}}"#.utf8))
            try wrong.append(["n": 1], to: "a")
        }
    }

    @Test("whatever the text, what was put in is all that has changed, and gone without a trace when it is taken out")
    func walk() throws {
        var chance = SplitMix64(state: .random(in: 0 ... .max))
        let seed = chance.state
        for _ in 0..<3_000 {
            let text = Self.text(&chance)
            let before = try JSONDocument(Array(text.utf8), .json5).value
            let new = try added(text)
            var after = try JSONDocument(Array(new.utf8), .json5).value.objectValue
            #expect(after?["fleet"] == .object(Self.value), "seed \(seed): \(text)")
            after?["fleet"] = nil
            #expect(after == before.objectValue, "seed \(seed): \(text)")
            let back = try removed(new)
            guard back == text else {
                Issue.record("seed \(seed): \(text.debugDescription) became \(back.debugDescription)")
                return
            }
        }
    }

    @Test("from whatever place, a member is taken out and no other is")
    func removalWalk() throws {
        var chance = SplitMix64(state: .random(in: 0 ... .max))
        let seed = chance.state
        for _ in 0..<3_000 {
            let text = Self.text(&chance, with: "fleet")
            var expected = try #require(try JSONDocument(Array(text.utf8), .json5).value.objectValue)
            expected["fleet"] = nil
            let left = try removed(text)
            #expect(
                try JSONDocument(Array(left.utf8), .json5).value == .object(expected),
                "seed \(seed): \(text.debugDescription)")
        }
    }

    /// An object with members, comments and white space as chance has it.
    private static func text(_ chance: inout SplitMix64, with name: String? = nil) -> String {
        let newline = chance.pick(["\n", "\r\n"])
        let isOneLine = chance.once(in: 4)
        func space() -> String {
            let some =
                isOneLine
                ? ["", " ", "/* c, } */", "\t"]
                : ["", " ", newline, newline + "    ", "// c, }" + newline, "/* c\n */"]
            return (0..<chance.below(3)).map { _ in chance.pick(some) }.joined()
        }
        var names = (0..<chance.below(4)).map { chance.pick(["m\($0)", "'n \($0)'", "\"x\\u0041\($0)\""]) }
        if let name { names.insert(chance.pick([name, "\"\(name)\""]), at: chance.below(names.count + 1)) }
        let values = ["1", "\"a, {\"", "[1, // one\n 2]", "{ 'fleet': 2, }", "null"]
        let flat = ["1", "\"a, {\"", "[1, 2,]", "{ 'fleet': 2, }", "null"]
        let members = names.map { name in
            space() + name + space() + ":" + space() + chance.pick(isOneLine ? flat : values) + space()
        }
        let end = !members.isEmpty && chance.once(in: 3) ? "," + space() : ""
        return space() + "{" + members.joined(separator: ",") + end + space() + "}" + space()
    }
}
