import HarkClient
import HarkTesting
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite struct TextTests {
    @Test(
        "what could change a terminal or hide is shown as an escape",
        arguments: [
            ("plain é 😀", "plain é 😀"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\u{1B}[31mred", "\\e[31mred"),
            ("\u{0}\u{7F}\u{9B}", "\\x00\\x7f\\x9b"), ("abc\u{202E}fdp", "abc\\u{202e}fdp"),
            ("a\u{2028}b", "a\\u{2028}b"),
        ])
    func visible(text: String, expected: String) {
        #expect(VisibleText.make(text) == expected)
    }

    @Test(
        "a value is quoted where it would not read as one",
        arguments: [
            ("a", "a"), ("", "\"\""), ("a b", "\"a b\""), ("a=b", "\"a=b\""), ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ])
    func value(text: String, expected: String) {
        #expect(VisibleText.value(text) == expected)
    }

    @Test(
        "in a table a text is in quotes where it reads as another value",
        arguments: [
            ("1", "1"), (#""1""#, #""1""#), (#""a""#, "a"), (#""null""#, #""null""#), ("null", "null"),
            (#""[1]""#, #""[1]""#), ("[1]", "[1]"), (#""true""#, #""true""#), (#""01""#, "01"), (#""""#, ""),
        ])
    func scalars(json: String, expected: String) {
        #expect(ScalarText.shown(JSONText(json)) == expected)
    }

    @Test(
        "width counts columns",
        arguments: [
            ("", 0), ("abc", 3), ("né", 2), ("ne\u{301}", 2), ("日本", 4), ("😀", 2), ("👨‍👩‍👧", 2), ("한", 2), ("हिन्दी", 5),
            ("क्षि", 3), ("กำ", 2), ("ภาษาไทย", 7), ("ที่นี่", 2), ("தமிழ்", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("🇩🇪", 2),
        ])
    func width(text: String, expected: Int) {
        #expect(TextWidth.of(text) == expected)
    }

    @Test(
        "the word that was meant is found",
        arguments: [
            ("recrod", "record"), ("evnts", "events"), ("stat", "status"), ("--jso", nil), ("clera", "clear"),
            ("zzz", nil),
            ("x", nil),
        ] as [(String, String?)])
    func suggestion(word: String, expected: String?) {
        #expect(Suggestion.nearest(to: word, among: ["record", "events", "status", "clear"]) == expected)
    }

    @Test(
        "spans, sizes and numbers are short",
        arguments: [
            (DurationText.make(0.84), "0.8 s"), (DurationText.make(42), "42 s"), (DurationText.make(185), "3 min 5 s"),
            (DurationText.make(7800), "2 h 10 min"), (DurationText.make(1_047_600), "12 d 3 h"),
            (DurationText.make(3600), "1 h"), (DurationText.bytes(812), "812 B"), (DurationText.bytes(4_200), "4.2 kB"),
            (DurationText.bytes(999_990), "1.0 MB"), (DurationText.bytes(17_340_000), "17.3 MB"),
            (Plural.count(1, "event"), "1 event"), (Plural.count(1_234_567, "event"), "1,234,567 events"),
            (Plural.grouped(-1234), "-1,234"),
            (StatusText.rate(12.5, over: "1m"), "12.5 events a second over 1m"),
        ])
    func numbers(text: String, expected: String) {
        #expect(text == expected)
    }

    @Test("an event is one line: time, user, name and properties in their order")
    func event() {
        let event = JSONText(
            #"{"id":"x","seq":7,"name":"backup.done","timestamp":"not a time","sessionId":"s","userId":"ada","#
                + #""properties":{"host":"nas 1","gigabytes":12.50,"note":"a\nb","":"x"},"source":{"uid":0,"pid":1}}"#)
        var text = EventText(TextStyle(coloured: false), showsUser: true)
        #expect(line(event, &text) == #"not a time  ada   backup.done   host="nas 1" gigabytes=12.50 note=a\nb ""=x"#)
        var own = EventText(TextStyle(coloured: true), showsUser: false)
        #expect(
            line(JSONText(#"{"name":"x","timestamp":"t"}"#), &own) == "\u{1B}[2mt\u{1B}[0m  \u{1B}[36mx\u{1B}[0m")
    }

    @Test("what is made of bytes is what is made of texts")
    func bytes() {
        var random = SplitMix64(state: 3)
        let pieces = ["a", "word", " ", "=", "\\\"", "\\\\", "\\n", "é", "日", "\\u001b", "\u{202E}", "\u{7F}", "~"]
        for _ in 0..<5_000 {
            let content = (0..<random.below(6)).map { _ in random.pick(pieces) }.joined()
            let string = JSONText("\"\(content)\"")
            let text = string.string ?? ""
            var line: [UInt8] = []
            #expect(VisibleBytes.append(string, to: &line) == TextWidth.of(VisibleText.make(text)))
            #expect(String(decoding: line, as: UTF8.self) == VisibleText.make(text))
            line = []
            #expect(VisibleBytes.append(value: string, to: &line) == TextWidth.of(VisibleText.value(text)))
            #expect(String(decoding: line, as: UTF8.self) == VisibleText.value(text))
        }
    }

    @Test("times one after the other are told as each by itself")
    func times() {
        var clock = LocalClock()
        for text in [
            "2026-11-21T11:08:00.123Z", "2026-11-21T11:08:00.999Z", "2026-11-21T11:08:01.000Z", "2026-11-21T11:08:00Z",
            "1912-01-01T00:00:00.001Z", "2026-11-21T11:08:00.123+01:00", "2026-13-21T11:08:00.123Z", "", "soon",
            "2026-11-21T11:08:01.12xZ", "2026-11-21T11:08:00.123Z",
        ] {
            var line: [UInt8] = []
            clock.append(JSONText("\"\(text)\""), to: &line)
            #expect(String(decoding: line, as: UTF8.self) == LocalTime.text(iso: text))
        }
    }

    private func line(_ event: JSONText, _ text: inout EventText) -> String {
        var line: [UInt8] = []
        text.append(event, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    @Test("JSON is laid out with its order and its numbers as they came")
    func prettyJSON() {
        let text = JSONText(#"{"b":1.0,"a":[1,2],"o":{},"l":[{"x":"y"}]}"#)
        #expect(
            PrettyJSON.text(text) == """
                {
                  "b": 1.0,
                  "a": [1, 2],
                  "o": {},
                  "l": [
                    {
                      "x": "y"
                    }
                  ]
                }
                """)
    }

    @Test("a member is taken out and the rest stays as it was")
    func without() {
        let session = JSONText(#"{"id":"x","eventCount":5,"metadata":{"eventCount":1.0}}"#)
        #expect(
            String(decoding: session.without("eventCount"), as: UTF8.self)
                == #"{"id":"x","metadata":{"eventCount":1.0}}"#)
    }
}
