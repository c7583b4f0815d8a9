import Glibc
import HarkWire
import Testing

/// Times as other programs print them, where clocks show Berlin's time.
@Suite("Time reader") struct TimeReaderTests {
    init() {
        setenv("TZ", "Europe/Berlin", 1)
        tzset()
    }

    private let now = Timestamp("2026-06-15T12:30:05.250Z")

    @Test(
        "what other programs print is read",
        arguments: [
            // date -Iseconds, -Ins, -Iminutes, -Ihours, --rfc-3339=seconds, -R, and without an option in two languages
            ("2026-11-21T12:08:00+01:00", "2026-11-21T11:08:00.000Z"),
            ("2026-11-21T12:08:00,123456789+01:00", "2026-11-21T11:08:00.123Z"),
            ("2026-11-21T12:08+01:00", "2026-11-21T11:08:00.000Z"), ("2026-11-21T12+01:00", "2026-11-21T11:00:00.000Z"),
            ("2026-11-21 12:08:00+01:00", "2026-11-21T11:08:00.000Z"),
            ("Sat, 21 Nov 2026 12:08:00 +0100", "2026-11-21T11:08:00.000Z"),
            ("Sat Nov 21 12:08:00 CET 2026", "2026-11-21T11:08:00.000Z"),
            ("Sat Nov 21 11:08:00 UTC 2026", "2026-11-21T11:08:00.000Z"),
            ("Sat Nov  7 01:08:00 PM CET 2026", "2026-11-07T12:08:00.000Z"),
            ("Sat Nov  7 12:08:00 AM CET 2026", "2026-11-06T23:08:00.000Z"),
            // date +%s, with the @ that date itself reads, and Python's time.time()
            ("@1795259280", "2026-11-21T11:08:00.000Z"), ("@1795259280.1234567", "2026-11-21T11:08:00.123Z"),
            ("@-1", "1969-12-31T23:59:59.000Z"), ("@0", "1970-01-01T00:00:00.000Z"),
            // journalctl -o short-iso, short-iso-precise, short-full
            ("2026-11-21T12:08:00+0100", "2026-11-21T11:08:00.000Z"),
            ("2026-11-21T12:08:00.123456+01:00", "2026-11-21T11:08:00.123Z"),
            ("Sat 2026-11-21 12:08:00 CET", "2026-11-21T11:08:00.000Z"),
            ("Wed 2026-07-01 12:08:00 CEST", "2026-07-01T10:08:00.000Z"),
            // Python's str() and isoformat(), aware and naive
            ("2026-11-21 12:08:00.123456+01:00", "2026-11-21T11:08:00.123Z"),
            ("2026-11-21 12:08:00", "2026-11-21T11:08:00.000Z"), ("2026-07-01T12:08:00", "2026-07-01T10:08:00.000Z"),
            ("1890-01-01 00:00:00+00:53:28", "1889-12-31T23:06:32.000Z"),
            // PostgreSQL, and others
            ("2026-11-21 12:08:00.5+01", "2026-11-21T11:08:00.500Z"),
            ("2026-11-21 11:08:00 UTC", "2026-11-21T11:08:00.000Z"),
            ("2026-11-21 12:08:00 -05:30", "2026-11-21T17:38:00.000Z"), ("2026-11-21", "2026-11-20T23:00:00.000Z"),
            (" 2026-11-21T11:08:00Z\n", "2026-11-21T11:08:00.000Z"), ("08:15", "2026-06-15T06:15:00.000Z"),
            ("10m", "2026-06-15T12:20:05.250Z"), ("-2h", "2026-06-15T10:30:05.250Z"),
            // Where the clock is put back, the zone tells which of the two it is.
            ("2026-10-25 02:30:00 CEST", "2026-10-25T00:30:00.000Z"),
            ("2026-10-25 02:30:00 CET", "2026-10-25T01:30:00.000Z"),
        ])
    func reads(text: String, expected: String) throws {
        #expect(try TimeReader.read(text, now: now).description == expected)
    }

    @Test(
        "what is no time is refused with what is wrong with it",
        arguments: [
            ("", "none of the forms"), ("later", "none of the forms"), ("yesterday", "none of the forms"),
            ("2026-02-30T00:00:00Z", "no such day"), ("2026-13-01 00:00", "no such day"),
            ("2026-11-21 24:00:00", "hours go"), ("2026-11-21T23:59:60Z", "hours go"),
            ("13:00 PM", "hours go"),
            ("2026-11-21 13:00 PM", "hours go"), ("2026-11-21T12:00:00+24:00", "an offset goes"),
            ("2026-11-21 12:08:00 PST", "write its offset"), ("Wed Jul 1 12:08:00 CET 2026", "write its offset"),
            ("Nov 21 12:08:00", "whole day"), ("2026", "whole day"), ("1700000000", "with an @"),
            ("@1700000000000000", "seconds, not milliseconds"), ("@99999999999999999999", "seconds, not milliseconds"),
            ("9999-12-31T23:59:59-00:01", "outside the years"), ("@", "none of"), ("@1.", "none of"),
            ("@--1", "none of"),
            ("2026-11-21T", "none of"), ("2026-11-21T12:08:00.", "none of"), ("2026-11-21T12:08:00+1:00", "none of"),
            ("2026-11-21 2026-11-21", "none of"), ("12:00 12:00", "none of"),
            ("2026-11-21T12:08:00ZZ", "write its offset"),
            ("２026-01-01T00:00:00Z", "none of"), (String(repeating: "1", count: 65), "none of"),
        ])
    func refuses(text: String, why: String) {
        #expect {
            try TimeReader.read(text, now: now)
        } throws: { error in
            (error as? TimeReader.Fault)?.words.contains(why) == true
        }
    }

    @Test("a number is refused with how it is written, and a parameter says what is wrong")
    func parameters() {
        let type = MemberType<Timestamp>.time
        #expect(type.read(.int(1_700_000_000)) == nil)
        #expect(type.words(for: .int(1_700_000_000)).hasSuffix(#"with an @: "@1700000000""#))
        #expect(type.words(for: "2026-02-30").hasSuffix("the calendar has no such day"))
        #expect(type.read("2026-11-21 12:08:00+0100") == Timestamp("2026-11-21T11:08:00Z"))
    }

    @Test("whatever the strict reader takes is read as the same, and no bytes are too odd")
    func anything() {
        var state: UInt64 = 10
        let pieces = [
            "2026-", "11-", "21", "T", " ", "12:", "08:", "00", ".5", ",", "+01:00", "-", "Z", "CET", "Nov", "@", "9",
            "PM",
        ]
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<9 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            let read = try? TimeReader.read(text, now: now)
            if let strict = Timestamp(text) { #expect(read == strict) }
        }
    }
}
