import HarkWire
import Testing

@testable import HarkSQL

/// Times as SQL compares them.
@Suite struct TimeTextTests {
    private func order(_ left: String, _ right: String) -> CInt {
        Array(left.utf8).withUnsafeBytes { left in
            Array(right.utf8).withUnsafeBytes { right in TimeText.order(left, right) }
        }
    }

    @Test("the daemon's way to write a time is the same as SQLite's, and all other texts keep their order")
    func orders() {
        #expect(order("2026-11-21T11:08:00.123Z", "2026-11-21 11:08:00.123") == 0)
        #expect(order("2026-11-21 11:08:00.123", "2026-11-21T11:08:00.124Z") < 0)
        #expect(order("2026-11-21T00:00:00Z", "2026-11-20 23:59:59.999") > 0)
        #expect(order("2026-11-21", "2026-11-21 00:00:00.000") < 0)
        #expect(order("Z", "") > 0 && order("", "") == 0 && order("2026-11-21", "2026-11-2T") < 0)
        #expect(order("2026-11-21TZ", "2026-11-21 ") == 0)
    }

    @Test(
        "what a time is compared with is a moment where its text is one, and else is left to the order of texts",
        arguments: [
            ("2026-11-21", 1_795_219_200_000), ("2026-11-21 11:08", 1_795_259_280_000),
            ("2026-11-21T11:08:00Z", 1_795_259_280_000), ("2026-11-21 11:08:00.5", 1_795_259_280_500),
            ("2026-11-21 11:08:00.123456", 1_795_259_280_123), ("2026-11", nil), ("2026-11-21X11:08", nil), ("", nil),
            ("2026-02-30", nil), ("now", nil), ("2026-11-21T11:08:00+01:00Z", nil), ("Z", nil),
        ] as [(String, Int64?)])
    func moments(text: String, expected: Int64?) {
        #expect(TimeText.moment(text)?.milliseconds == expected)
    }
}

/// Which name SQLite has stumbled over.
@Suite struct UnknownColumnTests {
    @Test("the name is read from the message of earlier and of later versions, with and without a table's")
    func names() {
        func names(_ message: String) -> [String]? { UnknownColumn(SQLError(.text, message))?.names }
        #expect(names("no such column: amount") == ["amount"])
        #expect(names("no such column: main.events.amount") == ["main.events.amount", "events.amount", "amount"])
        #expect(names("no such column: \"a b\" - should this be a string literal in single-quotes?") == ["a b"])
        #expect(names("no such column: \"a") == ["\"a"])
        #expect(names("no such table: amount") == nil)
        #expect(UnknownColumn(SQLError(.other, "no such column: amount")) == nil)
    }
}
