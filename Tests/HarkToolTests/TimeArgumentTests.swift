import Glibc
import HarkClient
import HarkWire
import Testing

@testable import HarkTool

/// Times as they are written where clocks show Berlin's time, which is two hours ahead in summer, one in winter.
@Suite struct TimeArgumentTests {
    init() {
        setenv("TZ", "Europe/Berlin", 1)
        tzset()
    }

    // 14:30:05.250 in Berlin.
    private let now = Timestamp("2026-06-15T12:30:05.250Z")!

    @Test(
        "a time is read",
        arguments: [
            ("now", "2026-06-15T12:30:05.250Z"), ("0s", "2026-06-15T12:30:05.250Z"),
            ("90s", "2026-06-15T12:28:35.250Z"),
            ("10m", "2026-06-15T12:20:05.250Z"), ("2h", "2026-06-15T10:30:05.250Z"), ("3d", "2026-06-12T12:30:05.250Z"),
            ("1w", "2026-06-08T12:30:05.250Z"), ("-2h", "2026-06-15T10:30:05.250Z"),
            ("today", "2026-06-14T22:00:00.000Z"),
            ("yesterday", "2026-06-13T22:00:00.000Z"), ("2026-01-05", "2026-01-04T23:00:00.000Z"),
            ("2026-01-05 08:15", "2026-01-05T07:15:00.000Z"), ("2026-06-05T08:15:30", "2026-06-05T06:15:30.000Z"),
            ("2026-06-05T08:15:30.5", "2026-06-05T06:15:30.500Z"), ("08:15", "2026-06-15T06:15:00.000Z"),
            ("08:15:59.123456", "2026-06-15T06:15:59.123Z"), ("2026-06-05T08:15:30Z", "2026-06-05T08:15:30.000Z"),
            ("2026-06-05T08:15:30.25+05:30", "2026-06-05T02:45:30.250Z"),
            ("9223372036854775807w", "0000-01-01T00:00:00.000Z"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try TimeArgument.parse(text, option: "since", now: now).description == expected)
    }

    @Test(
        "what is no time is refused with examples",
        arguments: [
            "", "soon", "10", "10 m", "--5m", "-5", "-", "+5m", "5y", "2026", "2026-02-30", "2026-13-01", "26-01-05",
            "25:00",
            "12:60",
            "12:30:61", "2026-06-05T", "2026-06-05T08:15:30.", "٣d", "12:٣٠",
        ])
    func refuses(text: String) {
        #expect {
            try TimeArgument.parse(text, option: "since", now: now)
        } throws: { error in
            let error = error as? ToolError
            return error?.exit == .usage && error?.message.contains("--since") == true
                && error?.hint?.contains("yesterday") == true
        }
    }

    @Test("when something happened takes what JSON takes, and no names of days")
    func happened() throws {
        let time = try TimeArgument.happened("2026-06-05 08:15 Z", option: "timestamp")
        #expect(time.description == "2026-06-05T08:15:00.000Z")
        for word in ["now", "today", "yesterday"] {
            #expect(throws: ToolError.self) { try TimeArgument.happened(word, option: "timestamp") }
        }
    }

    @Test("midnight is midnight also on the days that have 23 or 25 hours")
    func changeOfClocks() throws {
        let spring = Timestamp("2026-03-29T12:00:00Z")!
        let autumn = Timestamp("2026-10-25T12:00:00Z")!
        #expect(try TimeArgument.parse("today", option: "s", now: spring).description == "2026-03-28T23:00:00.000Z")
        #expect(try TimeArgument.parse("today", option: "s", now: autumn).description == "2026-10-24T22:00:00.000Z")
    }

    @Test(
        "a time is shown by the clocks here",
        arguments: [
            ("2026-06-15T12:30:05.250Z", "2026-06-15 14:30:05.250"),
            ("2026-01-01T00:00:00.007Z", "2026-01-01 01:00:00.007"),
            ("1969-12-31T23:59:59.999Z", "1970-01-01 00:59:59.999"), ("nonsense\u{1B}", "nonsense\\e"),
        ])
    func shows(iso: String, expected: String) {
        #expect(LocalTime.text(iso: iso) == expected)
    }
}
