import HarkWire
import Testing

/// How languages write numbers, dates and plurals (K3).
@Suite struct LocaleFormTests {
    static let numbers: [(String?, JSONValue, String)] = [
        (nil, 1_234_567, "1,234,567"), ("en_GB.UTF-8", 1_234.5, "1,234.5"), ("de", 1_234.5, "1.234,5"),
        ("fr", 1_234.5, "1\u{A0}234,5"), ("es-MX", -1_234.25, "-1,234.25"), ("pl", 999, "999"), ("de", 0.1, "0,1"),
        ("en", 1e14, "100,000,000,000,000"), ("en", -0.0000001, "0"), ("ja", 1e-6, "0.000001"),
    ]

    @Test("thousands and decimals are parted as the language does", arguments: numbers)
    func grouping(locale: String?, value: JSONValue, text: String) throws {
        let digits = try #require(DecimalDigits(value))
        #expect(LocaleForm(locale).text(digits, isGrouped: true) == text)
    }

    static let amounts: [(String, JSONValue, String, String?)] = [
        ("en-US", 12.5, "USD", "$12.50"), ("de", 1_234, "EUR", "1.234,00\u{A0}€"),
        ("fr", -3.456, "EUR", "-3,46\u{A0}€"),
        ("nl", 5, "EUR", "€\u{A0}5,00"), ("pt-BR", 5, "BRL", "R$\u{A0}5,00"), ("ja", 1_200, "JPY", "¥1,200"),
        ("en", 3, "CHF", "CHF\u{A0}3.00"), ("pl", 3, "PLN", "3,00\u{A0}zł"), ("de", "12", "EUR", nil),
        ("de", .bool(true), "EUR", nil), ("de", 1e200, "EUR", nil), ("de", .double(.infinity), "EUR", nil),
    ]

    @Test("money has its sign where the language puts it, and what is no number is no money", arguments: amounts)
    func money(locale: String, value: JSONValue, currency: String, text: String?) {
        #expect(LocaleForm(locale).money(value, currency) == text)
    }

    static let days: [(String?, String, String)] = [
        (nil, "2026-11-27", "14:05"), ("de", "27.11.2026", "14:05"), ("en-US", "11/27/2026", "2:05 PM"),
        ("en-GB", "27/11/2026", "14:05"), ("nl", "27-11-2026", "14:05"), ("ja", "2026/11/27", "14:05"),
        ("fr", "27/11/2026", "14:05"), ("sv", "2026-11-27", "14:05"),
    ]

    @Test("days and times are written as the language does", arguments: days)
    func dates(locale: String?, date: String, time: String) throws {
        let moment = try #require(Timestamp("2026-11-27T14:05:59Z"))
        #expect(LocaleForm(locale).date(moment) == date)
        #expect(LocaleForm(locale).time(moment) == time)
        let midnight = try #require(Timestamp("2026-01-02T00:07:00Z"))
        #expect(LocaleForm("en-US").date(midnight) == "1/2/2026")
        #expect(LocaleForm("en-US").time(midnight) == "12:07 AM")
    }

    static let plurals: [(String, [PluralCategory: [UInt64]])] = [
        ("en", [.one: [1], .other: [0, 2, 11, 21, 101]]), ("fr", [.one: [0, 1], .other: [2, 100]]),
        ("ja", [.other: [0, 1, 2]]),
        ("pl", [.one: [1], .few: [2, 4, 22, 104], .many: [0, 5, 11, 12, 14, 21, 112]]),
        ("ar", [.zero: [0], .one: [1], .two: [2], .few: [3, 10, 103], .many: [11, 99, 111], .other: [100, 102]]),
        ("ru", [.one: [1, 21, 101], .few: [2, 24], .many: [0, 5, 11, 12, 111]]),
        ("cs", [.one: [1], .few: [2, 4], .other: [0, 5, 22]]),
    ]

    @Test("the category of a number is that of CLDR", arguments: plurals)
    func categories(locale: String, numbers: [PluralCategory: [UInt64]]) {
        for (category, numbers) in numbers {
            for number in numbers { #expect(LocaleForm(locale).plural(number) == category, "\(locale) \(number)") }
        }
        #expect(LocaleForm("en").plural(nil) == .other && LocaleForm("cs").plural(nil) == .many)
    }

    @Test("several things are a list with the language's and")
    func lists() {
        #expect(LocaleForm("en").list(["a", "b", "c"]) == "a, b and c")
        #expect(LocaleForm("de").list(["a", "b"]) == "a und b")
        #expect(LocaleForm("ja").list(["a", "b"]) == "a, b")
        #expect(LocaleForm("de").list(["a"]) == "a" && LocaleForm("de").list([]).isEmpty)
    }
}
