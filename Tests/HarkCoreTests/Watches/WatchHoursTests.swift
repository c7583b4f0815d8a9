import HarkWire
import Testing

@testable import HarkCore

/// The hours and days at which a watch counts.
@Suite struct WatchHoursTests {
    private static let minute: Int64 = 60_000
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// So long after the beginning of a Monday.
    private static func wall(_ days: Int64, _ hours: Int64, _ minutes: Int64 = 0) -> Int64 {
        // 1970-01-05 was one, and so was that 2,900 weeks later.
        (4 + 7 * 2_900 + days) * day + hours * hour + minutes * minute
    }

    private static func hours(_ between: String?, _ days: String?) throws -> WatchHours {
        try #require(try WatchHours(between: between, days: days))
    }

    @Test("time counts within the hours and days that are named, and only there")
    func counting() throws {
        let work = try Self.hours("08:00-18:00", "mon-fri")
        // From within, from before, from after, and over a weekend.
        #expect(work.end(of: 2 * Self.hour, from: Self.wall(0, 9)) == Self.wall(0, 11))
        #expect(work.end(of: 2 * Self.hour, from: Self.wall(0, 3)) == Self.wall(0, 10))
        #expect(work.end(of: 2 * Self.hour, from: Self.wall(0, 17)) == Self.wall(1, 9))
        #expect(
            work.end(of: Self.hour, from: Self.wall(0, 17)) == Self.wall(0, 18), "at the end, and not the day after")
        #expect(work.end(of: 2 * Self.hour, from: Self.wall(4, 17)) == Self.wall(7, 9))
        #expect(work.end(of: 2 * Self.hour, from: Self.wall(5, 12)) == Self.wall(7, 10))
        #expect(work.end(of: 50 * Self.hour, from: Self.wall(0, 0)) == Self.wall(4, 18), "a whole week")
        #expect(work.end(of: 501 * Self.hour, from: Self.wall(0, 0)) == Self.wall(70, 9), "and many")
        #expect(work.end(of: 1, from: Self.wall(6, 23)) == Self.wall(7, 8) + 1)
    }

    @Test("hours may go over midnight, and are of the day on which they begin")
    func overMidnight() throws {
        let night = try Self.hours("22:00-06:00", "fri")
        #expect(night.end(of: 3 * Self.hour, from: Self.wall(4, 12)) == Self.wall(5, 1))
        #expect(night.end(of: 3 * Self.hour, from: Self.wall(5, 1)) == Self.wall(5, 4))
        #expect(night.end(of: 3 * Self.hour, from: Self.wall(5, 5)) == Self.wall(12, 0))
    }

    @Test("without hours a day counts as a whole, and without days each does; days may be named in any way")
    func parts() throws {
        let weekend = try Self.hours(nil, "Sat-Sun")
        #expect(weekend.end(of: 30 * Self.hour, from: Self.wall(0, 9)) == Self.wall(6, 6))
        let daily = try Self.hours("12:00-24:00", nil)
        #expect(daily.end(of: 13 * Self.hour, from: Self.wall(0, 9)) == Self.wall(1, 13))
        #expect(try Self.hours(nil, "sun-mon,wed").perWeek == 3 * Self.day)
        #expect(try WatchHours(between: nil, days: nil) == nil)
    }

    @Test(
        "what names no hours or days is refused with how to write it",
        arguments: [
            "8-18", "08:00", "08:00-08:00", "24:00-08:00", "08:60-18:00", "08:00-24:01", "08:00-18:00-19:00", "",
            "8:00-18:00",
        ])
    func wrongHours(text: String) {
        #expect(throws: WireError.self) { try WatchHours(between: text, days: nil) }
    }

    @Test("the same for days", arguments: ["", "monday", "mon-", "mon,,tue", "mon-tue-wed", "1-5"])
    func wrongDays(text: String) {
        #expect(throws: WireError.self) { try WatchHours(between: nil, days: text) }
    }

    @Test("they go by the clock on the wall, also on the days on which it is set")
    func daylightSaving() throws {
        // Two hours ahead of UTC until some Sunday at 01:00 UTC, then one.
        let change = Timestamp(milliseconds: Self.wall(6, 1))
        let zone = LocalZone { $0 < change ? 2 * Self.hour : Self.hour }
        func due(_ hours: WatchHours, _ span: Int64, from since: Timestamp) -> Timestamp {
            zone.time(wall: hours.end(of: span, from: zone.wall(since)), after: since)
        }
        let work = try Self.hours("08:00-18:00", nil)
        // 17:00 on Saturday, two hours ahead; 09:00 on Sunday, one.
        let since = Timestamp(milliseconds: Self.wall(5, 15))
        #expect(due(work, 2 * Self.hour, from: since) == Timestamp(milliseconds: Self.wall(6, 8)))
        #expect(due(work, Self.hour, from: since) == Timestamp(milliseconds: Self.wall(5, 16)))
        // Never before its starting point, even if the clock is set back.
        let night = try Self.hours("00:00-24:00", nil)
        let late = change.adding(milliseconds: -Self.minute)
        #expect(due(night, 2 * Self.minute, from: late) > late)
    }
}
