import HarkTesting
import HarkWire
import Testing

/// The exact reader of JSON texts: values as written, their places, and their faults.
@Suite struct JSONDocumentTests {
    private func read(_ text: String, _ dialect: JSONDocument.Dialect = .json5) throws(JSONFault) -> JSONDocument {
        try JSONDocument(Array(text.utf8), dialect)
    }

    @Test(
        "the first fault is told with its line and column",
        arguments: [
            ("", 1, 1, "there is nothing"), (" // nothing\n", 2, 1, "there is nothing"),
            ("{\n  \"a\": 1 \"b\": 2\n}", 2, 10, "a comma is missing before this"),
            ("{\"ü\" 1}", 1, 6, "a colon is missing before this"),
            ("{\"a\": [1, 2}", 1, 12, "this bracket closes nothing that is open"),
            ("// one\n{\"a\": {\n", 3, 1, "it ends here, and the { of line 2 is still open"),
            ("[1,,2]", 1, 4, "there is a comma too many"), ("[,1]", 1, 2, "there is a comma too many"),
            ("{\"a\":}", 1, 6, "a value is missing"), ("{\"a\"}", 1, 5, "a value is missing"),
            ("{\"a\": blue}", 1, 7, "'blue' is no value; a text stands in quotes"),
            ("{\"a\": \"blue}\n", 1, 7, "this text does not end in its line"),
            ("{\"a\": \"b\\\"", 1, 7, "this text does not end"), ("{\"a\": \"b\\", 1, 7, "this text does not end"),
            ("{} {}", 1, 4, "something follows the end"),
            ("{\"a\": 1}}", 1, 9, "this bracket closes nothing that is open"),
            ("{\"a\":: 1}", 1, 6, "there is a colon too many"), ("{: 1}", 1, 2, "there is a colon too many"),
            ("{ /* \"a\": 1 }", 1, 3, "this comment does not end"), ("/*", 1, 1, "this comment does not end"),
            ("{ {} }", 1, 3, "a name is missing"), ("/ 1", 1, 1, "a comment begins with // or /*"),
            (#"{"a": "\q"}"#, 1, 8, #"there is no escape '\q'; a backslash is written as \\"#),
            (#"["\u12"]"#, 1, 7, "there should be 4 hexadecimal digits"),
            (#"["\ud800"]"#, 1, 3, "half of a surrogate pair is missing"),
            (#"["\udc00"]"#, 1, 3, "half of a surrogate pair is missing"),
            ("[1.2.3]", 1, 2, "'1.2.3' is no number"), ("[01]", 1, 2, "'01' is no number"),
            ("[1e999]", 1, 2, "'1e999' is no number"), ("[-]", 1, 2, "'-' is no value; a text stands in quotes"),
            ("[-Infinity]", 1, 2, "'-Infinity' is no number that can be kept"),
            ("{a-b: 1}", 1, 2, "'a-b' is no name; one like this stands in quotes"),
        ] as [(String, Int, Int, String)])
    func faults(_ text: String, _ line: Int, _ column: Int, _ problem: String) {
        #expect(throws: JSONFault(place: TextPlace(line: line, column: column), problem: problem)) { try read(text) }
    }

    @Test("bytes that are not UTF-8 are a fault at their place")
    func encoding() {
        let fault = JSONFault(place: TextPlace(line: 2, column: 2), problem: "a byte here is not UTF-8 text")
        #expect(throws: fault) { try JSONDocument([0x5B, 0x0A, 0x22, 0xFF, 0x22, 0x5D], .json5) }
    }

    @Test(
        "JSON5 is read as it is written",
        arguments: [
            ("{}", .object([:])),
            (" [1, -2.5e3, 'x', \"\\\"\", true, null,] // end", [1, -2500.0, "x", "\"", true, nil]),
            ("{a: 1, 'b': [ ], \"c\": {\"d\": +1,},}", ["a": 1, "b": [], "c": ["d": 1]]),
            ("/* a */ \"text\"", "text"), ("\u{FEFF}{\"a\": \"//\"}", ["a": "//"]), ("'it\\'s'", "it's"),
            ("[1, 1.0, 1e0, .5, 5., 0x1F, -0xa, 9223372036854775807]", [1, 1.0, 1.0, 0.5, 5.0, 31, -10, .int(.max)]),
            ("18446744073709551616", 18446744073709551616.0), ("{größe: 1, $_: 2}", ["größe": 1, "$_": 2]),
            (#""\u00e9\ud83d\ude00\x41\n\/\v""#, "é😀A\n/\u{0B}"), ("'one \\\ntwo'", "one two"),
            ("\u{A0}[\u{2003}1\u{2028}]\u{0B}", [1]),
        ] as [(String, JSONValue)])
    func json5(_ text: String, _ value: JSONValue) throws {
        #expect(try read(text).value == value)
    }

    @Test(
        "what only JSON5 has is no JSON",
        arguments: [
            "[1,]", "{\"a\":1,}", "{a:1}", "['a']", "[+1]", "[.5]", "[5.]", "[0x1]", "// a\n1", "\"a\tb\"", #""\x41""#,
        ])
    func strict(_ text: String) throws {
        _ = try read(text)
        #expect(throws: JSONFault.self) { try read(text, .json) }
    }

    @Test("members keep their order, and numbers what they were written as")
    func order() throws {
        let text = #"{"z":1.0,"a":[{"y":1,"b":-0.5}],"m":1e3}"#
        #expect(try read(text, .json).value.description == #"{"z":1.0,"a":[{"y":1,"b":-0.5}],"m":1000.0}"#)
    }

    @Test("of two members of one name the first counts, and the other is told; é in two spellings are two names")
    func duplicates() throws {
        let document = try read("{\"a\": {\"x\": 1,\n \"x\": [2]}, \"é\": 3, \"e\u{301}\": 4, \"b\": 5}")
        #expect(document.duplicates.map(\.path) == ["$.a.x"])
        #expect(document.duplicates.map(\.place) == [TextPlace(line: 2, column: 2)])
        #expect(document.value["a"]?["x"] == 1 && document.value.objectValue?.count == 4)
        // Members after a repeated one are still found.
        #expect(document.places(of: ["$.b"]) == [TextPlace(line: 2, column: 30)])
        let many = "{" + (0..<40).map { "k\($0): 0" }.joined(separator: ", ") + ", k7: 1, k7: 2}"
        #expect(try read(many).duplicates.map(\.path) == ["$.k7", "$.k7"])
        #expect(try read(many).value["k7"] == 0)
    }

    @Test(
        "a path leads to the line and column of what it names, or of the innermost part of it that is there",
        arguments: [
            ("$", 1, 1), ("$.surveys", 2, 3), ("$.surveys[0]", 2, 15), ("$.surveys[1].title", 3, 23),
            ("$.surveys[1].title.x", 3, 23), ("$.surveys[1].absent", 3, 5), ("$.surveys[7]", 2, 3),
            ("$[\"a.b\"]", 4, 3), ("$[\"a.b\"].c", 4, 11), ("$.a.b", 4, 23), ("$.a", 4, 23), ("$.nothing", 1, 1),
            (#"$["a\"].b"][0]"#, 5, 14), ("$.\(String(repeating: "k", count: 64))…", 6, 3),
        ])
    func places(_ path: String, _ line: Int, _ column: Int) throws {
        let document = try read(
            """
            {
              "surveys": [{"id": 1},
                {"id": 2, /* ü */ "title": [3]}],
              "a.b": {"c": true}, "a": {"bc": 1},
              "a\\"].b": [1],
              "\(String(repeating: "k", count: 70))": 2,
            }
            """)
        #expect(document.places(of: [path]) == [TextPlace(line: line, column: column)], "\(path)")
    }

    @Test("nesting has a bound and is no danger to the stack")
    func nesting() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try read(nested(JSONDocument.maxNesting))
        #expect(throws: JSONFault.self) { try read(nested(JSONDocument.maxNesting + 1)) }
        #expect(throws: JSONFault.self) { try read(String(repeating: "{\"a\":", count: 1_000_000)) }
    }

    @Test("what the writer writes is read back as it was")
    func roundTrip() throws {
        var random = SplitMix64(state: 7)
        for _ in 0..<300 {
            let value = Self.value(&random, depth: 4)
            #expect(try read(value.description, .json).value == value)
            #expect(try read(value.description, .json).value.description == value.description)
        }
    }

    private static func value(_ random: inout SplitMix64, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .int(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
        case 3: .double(Double(Int32(truncatingIfNeeded: random.next())) / 1024)
        case 4: .string(text(&random))
        case 5: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default:
            .object(
                JSONObject(
                    (0..<Int.random(in: 0..<4, using: &random)).map {
                        ("\($0)" + text(&random), value(&random, depth: depth - 1))
                    }))
        }
    }

    private static func text(_ random: inout SplitMix64) -> String {
        let scalars: [Unicode.Scalar] = ["a", "\"", "\\", "\n", "\u{0}", "é", "😀", "\u{7F}", "\u{202E}", "/"]
        return (0..<Int.random(in: 0..<6, using: &random)).reduce(into: "") { text, _ in
            text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &random)])
        }
    }

    @Test("a text of many members and faults takes time in proportion")
    func proportion() throws {
        let keys = (0..<100_000).map { "\"k\($0)\":1,\"k\($0)\":2" }.joined(separator: ",")
        let took = try processorTime {
            let document = try read("{\(keys)}")
            #expect(document.value.objectValue?.count == 100_000 && document.duplicates.count == 100)
        }
        // Comparing each with each would take minutes, even with this slack for a debug build.
        #expect(took < .seconds(20))
    }
}
