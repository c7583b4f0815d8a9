import HarkWire
import Testing

@testable import HarkAsking

/// Dates and times as people write them.
@Suite struct MomentTextTests {
    private static let day = MomentRule.date(min: nil, max: nil)
    private static let clock = MomentRule.time(min: nil, max: nil)

    private func read(_ text: String, _ rule: MomentRule) throws -> String {
        let today = try #require(CivilDate("2026-03-01"))
        return switch MomentText.read(text, rule, on: today) {
        case .success(let answer): answer
        case .failure(let fault): fault.sentence
        }
    }

    static let dates = [
        ("2026-01-31", "2026-01-31"), ("2026-1-5", "2026-01-05"), ("31.1.2026", "2026-01-31"),
        ("05.01.2026", "2026-01-05"), ("31/1/2026", "2026-01-31"), ("1/31/2026", "2026-01-31"),
        ("4/4/2026", "2026-04-04"), ("٢٠٢٦-٠١-٣١", "2026-01-31"), ("2026/01/31", "2026-01-31"),
        ("today", "2026-03-01"), ("Yesterday", "2026-02-28"), ("TOMORROW", "2026-03-02"),
        ("2/1/2026", "Write 2026-01-02 or 2026-02-01, whichever you mean."),
        ("31.2.2026", "2026-02 has 28 days."), ("2024-02-30", "2024-02 has 29 days."),
        ("31.4.2026", "2026-04 has 30 days."), ("1.13.2026", "Write a date, such as 2026-01-31."),
        ("13/13/2026", "Write a date, such as 2026-01-31."), ("0.1.2026", "Write a date, such as 2026-01-31."),
        ("31.1.26", "Write a date, such as 2026-01-31."), ("2026-01", "Write a date, such as 2026-01-31."),
        ("2026-01.31", "Write a date, such as 2026-01-31."), ("soon", "Write a date, such as 2026-01-31."),
        ("20260131", "Write a date, such as 2026-01-31."), ("1-2-3-4", "Write a date, such as 2026-01-31."),
        ("99999999999999999999-1-1", "Write a date, such as 2026-01-31."),
    ]

    @Test("a date is read in the usual ways, or a sentence says what is right", arguments: dates)
    func date(text: String, result: String) throws { #expect(try read(text, Self.day) == result) }

    static let times = [
        ("14:30", "14:30"), ("9", "09:00"), ("9:05", "09:05"), ("14.30", "14:30"), ("14h30", "14:30"), ("7h", "07:00"),
        ("2:30 pm", "14:30"), ("2PM", "14:00"), ("12 am", "00:00"), ("12:15 p.m.", "12:15"), ("٠٩:٣٠", "09:30"),
        ("00:00", "00:00"), ("24:00", "Write a time, such as 14:30."), ("12:60", "Write a time, such as 14:30."),
        ("13 pm", "Write a time, such as 14:30."), ("0 am", "Write a time, such as 14:30."),
        ("9:5", "Write a time, such as 14:30."), ("noon", "Write a time, such as 14:30."),
        ("14:30:00", "Write a time, such as 14:30."), ("1430", "Write a time, such as 14:30."),
    ]

    @Test("a time is read in the usual ways, or a sentence says what is right", arguments: times)
    func time(text: String, result: String) throws { #expect(try read(text, Self.clock) == result) }

    @Test("what is out of bounds is told with the bounds of today")
    func bounds() throws {
        let today = try #require(CivilDate("2026-03-31"))
        func problem(_ answer: String, _ min: String?, _ max: String?) -> String? {
            let rule = MomentRule.date(min: min.flatMap { DateBound($0) }, max: max.flatMap { DateBound($0) })
            return MomentText.problem(answer, rule, on: today)
        }
        #expect(problem("2026-03-23", "-7d", "today") == "Write a date from 2026-03-24 to 2026-03-31.")
        #expect(problem("2026-03-24", "-7d", "today") == nil)
        // A month with fewer days ends earlier.
        #expect(problem("2026-02-27", "-1m", nil) == "Write a date from 2026-02-28 on.")
        #expect(problem("2026-04-15", nil, "+2w") == "Write a date up to 2026-04-14.")
        let night = MomentRule.time(min: ClockTime("22:00"), max: ClockTime("06:00"))
        #expect(MomentText.problem("12:00", night, on: today) == "Write a time from 22:00 to 06:00.")
        #expect(MomentText.problem("05:59", night, on: today) == nil)
        #expect(
            MomentText.problem("08:59", .time(min: ClockTime("09:00"), max: nil), on: today)
                == "Write a time not before 09:00.")
        #expect(
            MomentText.problem("09:01", .time(min: nil, max: ClockTime("09:00")), on: today)
                == "Write a time not after 09:00.")
        #expect(MomentText.span(night, on: today) == "22:00 … 06:00")
        #expect(MomentText.span(.date(min: DateBound("today"), max: nil), on: today) == "≥ 2026-03-31")
    }

    @Test("each day from year 1 on is written and read alike, and each month has as many days as it says")
    func everyDay() {
        for number in stride(from: -719_162, through: 2_932_896, by: 97) {
            let date = CivilDate(daysSince1970: Int64(number))
            #expect(CivilDate(date.description) == date)
            guard let days = CivilDate.days(inMonth: date.month, of: date.year) else {
                Issue.record("no such month: \(date)")
                return
            }
            #expect(CivilDate(year: date.year, month: date.month, day: days).exists)
            #expect(!CivilDate(year: date.year, month: date.month, day: days + 1).exists)
        }
    }
}
