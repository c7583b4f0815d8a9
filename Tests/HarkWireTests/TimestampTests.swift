import Foundation
import Testing

@testable import HarkWire

@Suite("Timestamp")
struct TimestampTests {
    static let table: [(Int64, String)] = [
        (0, "1970-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-86_400_000, "1969-12-31T00:00:00.000Z"),
        (-86_400_001, "1969-12-30T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_799_999, "2000-02-29T23:59:59.999Z"),
        (951_868_800_000, "2000-03-01T00:00:00.000Z"),
        (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),
        (1_735_689_599_050, "2024-12-31T23:59:59.050Z"),
        (1_795_259_280_123, "2026-11-21T11:08:00.123Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
        (-2_203_891_200_001, "1900-02-28T23:59:59.999Z"),
        (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]

    @Test("is written as ISO 8601 and read back", arguments: table)
    func roundTrip(milliseconds: Int64, text: String) {
        let timestamp = Timestamp(milliseconds: milliseconds)
        #expect(timestamp.description == text)
        #expect(Timestamp(text) == timestamp)
        var bytes = Array(">".utf8)
        timestamp.append(to: &bytes)
        #expect(bytes == Array((">" + text).utf8))
        var writer = JSONWriter()
        writer.beginArray()
        writer.timestamp(timestamp)
        writer.timestamp(timestamp)
        #expect(writer.bytes == Array("[\"\(text)\",\"\(text)\"".utf8))
    }

    @Test("every day of five centuries is the day Foundation says")
    func everyDay() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        for day in stride(from: Int64(-146_097), to: 36_525, by: 1) {
            let date = Date(timeIntervalSince1970: TimeInterval(day * 86_400))
            let timestamp = Timestamp(milliseconds: day * 86_400_000 + 43_200_000)
            #expect(Timestamp(timestamp.description) == timestamp)
            // Foundation's Gregorian calendar is the Julian one before 1582-10-15.
            guard day >= -141_427, day % 7 == 0 else { continue }
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let expected = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
            #expect(timestamp.description.prefix(10) == expected)
        }
    }

    @Test("the days of all years from 0000 to 9999 follow each other")
    func everyYear() {
        let bounds =
            CivilDate(year: 0, month: 1, day: 1).daysSince1970...CivilDate(year: 9999, month: 12, day: 31).daysSince1970
        // Each of them would take seconds; of each year there are some, and these are other ones in the next.
        for day in stride(from: bounds.lowerBound, through: bounds.upperBound, by: 11) {
            let date = CivilDate(daysSince1970: day)
            guard date.daysSince1970 == day, (1...12).contains(date.month), (1...31).contains(date.day) else {
                Issue.record("day \(day) is \(date)")
                return
            }
        }
        for year in Int64(0)...9999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let last = CivilDate(daysSince1970: CivilDate(year: year, month: 3, day: 1).daysSince1970 - 1)
            #expect(last == CivilDate(year: year, month: 2, day: isLeap ? 29 : 28))
            let first = CivilDate(year: year, month: 1, day: 1)
            #expect(CivilDate(daysSince1970: first.daysSince1970) == first)
        }
    }

    @Test(
        "offsets, fractions and lower case are understood",
        arguments: [
            ("2026-11-21T11:08:00Z", 1_795_259_280_000), ("2026-11-21t11:08:00z", 1_795_259_280_000),
            ("2026-11-21T12:08:00+01:00", 1_795_259_280_000), ("2026-11-20T23:23:00-11:45", 1_795_259_280_000),
            ("2026-11-21T11:08:00.1Z", 1_795_259_280_100), ("2026-11-21T11:08:00.12Z", 1_795_259_280_120),
            ("2026-11-21T11:08:00.1239Z", 1_795_259_280_123), ("2026-11-21T11:08:00.123999999Z", 1_795_259_280_123),
            ("2026-11-21T11:08:00.000999999+00:00", 1_795_259_280_000), ("1969-12-31T23:59:59.9Z", -100),
            ("0000-01-01T00:00:00-00:00", -62_167_219_200_000), ("0000-01-01T00:01:00+00:01", -62_167_219_200_000),
        ])
    func reading(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is not a time is refused",
        arguments: [
            "", "Z", "2026-11-21", "2026-11-21T11:08:00", "2026-11-21T11:08Z", "2026-11-21 11:08:00Z",
            "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T23:60:00Z", "2026-01-01T23:59:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
            "2026-01-01T00:00:00+1:00", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60",
            "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z",
            "+2026-01-01T00:00:00Z", "-001-01-01T00:00:00Z", "2026-1-01T00:00:00Z", "2026-01-01T00:00:0:Z",
            "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "２026-01-01T00:00:00Z",
        ])
    func refusing(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("every prefix of a time is refused")
    func prefixes() {
        let text = "2026-11-21T11:08:00.123+01:00"
        #expect(Timestamp(text) != nil)
        for length in 0..<text.count { #expect(Timestamp(String(text.prefix(length))) == nil) }
    }

    @Test("adding stops at the ends of the calendar")
    func adding() {
        let epoch = Timestamp(milliseconds: 0)
        #expect(epoch.adding(milliseconds: -5).milliseconds == -5)
        #expect(epoch.adding(milliseconds: .max) == .latest)
        #expect(Timestamp.latest.adding(milliseconds: .max) == .latest)
        #expect(Timestamp.earliest.adding(milliseconds: .min) == .earliest)
        #expect(Timestamp.earliest < epoch && epoch < .latest)
    }
}
