import HarkWire
import Testing

@testable import HarkCore

/// Texts with places for values (K3).
@Suite struct PipedTextTests {
    private static func values(
        _ given: [(String, PropertyValue)] = [], locale: String? = nil, isolates: Bool = false
    ) -> TextValues {
        var values = TextValues()
        values.given = Properties(given)
        values.form = LocaleForm(locale)
        values.isolates = isolates
        return values
    }

    static let texts: [(text: String, filled: String)] = [
        ("no place", "no place"), ("{{event.n}} {event.n}", "{event.n} 3"), ("{{{event.n}}}", "{3}"),
        ("{event.n|none}", "3"), ("{event.gone|none}", "none"), ("{event.gone|}", ""), ("{event.gone}", "…"),
        ("{event.n:money EUR}", "€3.00"), ("{event.text:money EUR|much}", "much"), ("{event.text:number}", "…"),
        ("{event.n:plural one=\"file\" other=\"files\"}", "files"),
        ("{ event.n : plural one=\"a|}\" other=\"b|}\" | none }", "b|}"),
        ("{event.at:date} {event.at:time}", "2026-11-27 13:05"),
        ("{event.day:date} {event.day:time|all day}", "2026-11-27 all day"),
        ("{user|you}", "you"), ("{event.share:number 1}", "0.3"), ("{event.share}", "0.25"), ("{event.yes}", "true"),
        ("{event.a b}", "spaced"), ("{event.caf\u{E9}|no}", "1"), ("{event.cafe\u{301}|no}", "no"),
    ]

    @Test("a place is a name, a format and what stands there without a value", arguments: texts)
    func places(text: String, filled: String) throws {
        _ = try PipedText(text)
        let values = Self.values([
            ("event.n", .integer(3)), ("event.text", .string("<b>&amp;</b>")),
            ("event.at", .string("2026-11-27T13:05:00Z")),
            ("event.day", .string("2026-11-27")), ("event.share", .double(0.25)), ("event.yes", .bool(true)),
            ("event.a b", .string("spaced")), ("event.caf\u{E9}", .integer(1)),
        ])
        #expect(values.fill(text) == filled)
        var hidden = values
        hidden.isHidden = true
        #expect(!hidden.fill(text).contains("3"))
    }

    static let faults: [(text: String, says: String)] = [
        ("{", "a brace that stands alone; write '{{'"), ("a } b", "a brace that stands alone"),
        ("{event.n", "stands alone"), ("{}", "'' is no value; values are user, event.NAME"),
        ("{evnt.n}", "did you mean 'event'?"), ("{event.}", "is no value"), ("{event}", "'event' is no value"),
        ("{event.n:monney EUR}", "has the format 'monney EUR'; formats are number"),
        ("{event.n:money eur}", "a currency is three capital letters, such as EUR"),
        ("{event.n:number 9}", "'number' takes 0 to 6 decimals"),
        ("{event.n:plural one=\"a\"}", "plurals need the words for 'other'"),
        (
            "{event.n:plural some=\"a\" other=\"b\"}",
            "write one=\"…\" other=\"…\", with zero, one, two, few, many, other"
        ),
        ("{event.n:plural one=a other=b}", "write one="),
    ]

    @Test("what is wrong is refused with what is right", arguments: faults)
    func refusals(text: String, says: String) {
        let fault = #expect(throws: ValueFault.self) { try PipedText(text) }
        #expect(fault?.message.contains(says) ?? false, "\(fault?.message ?? "")")
    }

    @Test("a value can neither forge text nor flood it, and markup stays what it is")
    func harmless() {
        func shown(_ text: String) -> String { Self.values([("event.t", .string(text))]).fill("[{event.t|none}]") }
        #expect(shown("a\u{1B}[31mred\u{7}\u{9B}x") == "[a[31mredx]")
        #expect(shown("one\ntwo\r\n\tthree\u{2028}four") == "[one two   three four]")
        #expect(shown("\u{202E}evil\u{202C} \u{2066}x\u{2069}\u{200F}\u{61C}\u{FEFF}") == "[evil x]")
        #expect(shown("<b>bold</b> &amp; *x* {user} \\u0041") == "[<b>bold</b> &amp; *x* {user} \\u0041]")
        #expect(shown("\u{0}\u{1}\n ") == "[none]")
        let long = shown(String(repeating: "x", count: 10_000))
        #expect(long == "[" + String(repeating: "x", count: 199) + "…]")
        let marked = shown("a" + String(repeating: "\u{301}", count: 10_000))
        #expect(marked.unicodeScalars.count < 900 && marked.hasSuffix("…]"))
        #expect(shown(String(repeating: "👩‍👩‍👧", count: 100)).count == 102)
    }

    @Test("a value of another direction is parted from its surroundings where both are laid out")
    func directions() {
        let name = [("event.t", PropertyValue.string("שלום"))]
        #expect(Self.values(name, isolates: true).fill("Hello {event.t}!") == "Hello \u{2068}שלום\u{2069}!")
        #expect(Self.values(name, isolates: true).fill("שלום {event.t}") == "שלום שלום")
        #expect(Self.values(name).fill("Hello {event.t}!") == "Hello שלום!")
        let latin = [("event.t", PropertyValue.string("Ada"))]
        #expect(Self.values(latin, isolates: true).fill("مرحبا {event.t}") == "مرحبا \u{2068}Ada\u{2069}")
        #expect(Self.values(latin, isolates: true).fill("Hello {event.t}") == "Hello Ada")
    }

    @Test("an answer stands there in the words that the person saw")
    func answers() {
        var values = Self.values(locale: "de")
        values.questionnaire = Questionnaire([
            Question(id: "one", kind: .single([.init("a", label: "Äpfel {event.n} {answer.two}"), .init("b")])),
            Question(id: "two", kind: .multiple([.init("x", label: "X"), .init("y"), .init("z")], 1...3)),
        ])
        values.given = Properties([("event.n", .integer(3))])
        values.answers["one"] = .choice("a")
        values.answers["two"] = .choices(["x", "y", "z"])
        values.answers["n"] = ExactNumber(1.5).map(Answer.number)
        values.answers["t"] = .text("frei\nText")
        #expect(values.fill("{answer.one}") == "Äpfel 3 …")
        #expect(values.fill("{answer.two}, {answer.n}, {answer.n:money EUR}") == "X, y und z, 1,5, 1,50\u{A0}€")
        #expect(values.fill("{answer.t}|{answer.none|fehlt}") == "frei Text|fehlt")
    }
}
