import HarkWire
import Testing

@testable import HarkCore

@Suite("The days of a study")
struct CalendarTests {
    private func dates(_ calendar: SamplingCalendar, from first: String, _ count: Int) throws -> [String] {
        let first = try #require(SamplingDate(first))
        var dates: [String] = []
        var next = first
        while dates.count < count, let found = calendar.date(from: next, first: first) {
            dates.append(found.date.text.suffix(5) + "/\(found.place.burst ?? 0).\(found.place.day)")
            next = found.date.adding(1)
        }
        return dates
    }

    @Test("are the named days of the week, and end after a number of dates")
    func weekdays() throws {
        var calendar = SamplingCalendar()
        calendar.weekdays = [true, true, true, true, true, false, false]
        calendar.forDays = 7
        // 2026-11-26 is a Thursday.
        #expect(
            try dates(calendar, from: "2026-11-26", 9) == [
                "11-26/0.1", "11-27/0.2", "11-30/0.5", "12-01/0.6", "12-02/0.7",
            ])
    }

    @Test("come every other date, also if a day has 23 hours")
    func everyOther() throws {
        var calendar = SamplingCalendar()
        calendar.everyDays = 2
        #expect(try dates(calendar, from: "2026-03-28", 3) == ["03-28/0.1", "03-30/0.3", "04-01/0.5"])
    }

    @Test("come in bursts that each count from 1, and a break of months is not the end")
    func bursts() throws {
        var calendar = SamplingCalendar()
        (calendar.forDays, calendar.bursts, calendar.burstEvery) = (2, 3, 90)
        #expect(
            try dates(calendar, from: "2026-01-01", 9) == [
                "01-01/1.1", "01-02/1.2", "04-01/2.1", "04-02/2.2", "06-30/3.1", "07-01/3.2",
            ])
    }

    @Test("are the named ones, counted from a person's own date")
    func onDays() throws {
        var calendar = SamplingCalendar()
        calendar.onDays = [1, 3, 7]
        #expect(try dates(calendar, from: "2026-02-26", 9) == ["02-26/0.1", "02-28/0.3", "03-04/0.7"])
    }

    @Test("begin with the rest of the day of joining, which is day 0")
    func rest() throws {
        var calendar = SamplingCalendar()
        calendar.forDays = 2
        let first = try #require(SamplingDate("2026-11-27"))
        let rest = first.adding(-1)
        let found = try #require(calendar.date(from: rest, first: first, rest: rest))
        #expect(found.date == rest && found.place.day == 0)
        #expect(calendar.date(from: first.adding(2), first: first, rest: rest) == nil)
    }

    @Test("are read as people write them, and nothing else is")
    func reading() throws {
        #expect(SamplingDate("2026-02-29") == nil)
        #expect(SamplingDate("2028-02-29")?.text == "2028-02-29")
        #expect(SamplingDate("2026-2-9") == nil)
        #expect(WallClock.minutes("24:00") == 1_440)
        #expect(WallClock.minutes("24:01") == nil)
        #expect(WallClock.minutes("7:05:30") == 425)
        #expect(SamplingWindow(text: "22:00-06:00")?.seconds == 28_800)
        #expect(SamplingWindow(text: "09:00-09:00") == nil)
    }
}
