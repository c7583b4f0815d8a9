package import HarkWire

/// The hours of a day in which prompts come, in minutes of local time. A window whose end is not after its beginning ends on the
/// next day.
package struct SamplingWindow: Sendable, Hashable {
    package let from: Int64
    package let until: Int64

    package static let allDay = SamplingWindow(from: 0, until: 1_440)

    /// - Parameters:
    ///   - from: 0 to 1,439.
    ///   - until: 0 to 1,440.
    package init(from: Int64, until: Int64) {
        self.from = from
        self.until = until > from ? until : until + 1_440
    }

    /// Reads `09:00-21:00`; nil for anything else.
    package init?(text: some StringProtocol) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { WallClock.minutes(String($0)) }
        guard ends.count == 2, let from = ends[0], let until = ends[1] else { return nil }
        self.init(checking: from, until)
    }

    /// - Returns: nil if both are the same time, or if `from` is not below 1,440.
    package init?(checking from: Int64, _ until: Int64) {
        guard from < 1_440, from != until else { return nil }
        self.init(from: from, until: until)
    }

    package var text: String { WallClock.text(from) + "-" + WallClock.text(until > 1_440 ? until - 1_440 : until) }

    /// The length in seconds on a day of 24 hours.
    package var seconds: Int64 { (until - from) * 60 }
}

/// Times of day as documents and people write them.
package enum WallClock {
    /// Reads a time of day in minutes: `09:30`, `9:30` or `24:00`. Seconds are read and ignored.
    ///
    /// - Returns: nil for anything else.
    package static func minutes(_ text: String) -> Int64? {
        let parts = text.trimmed.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = digits(parts[0]), let minute = digits(parts[1]),
            parts[1].count == 2, minute < 60, hour < 24 || hour == 24 && minute == 0
        else { return nil }
        if parts.count == 3 {
            guard parts[2].count == 2, let second = digits(parts[2]), second < 60 else { return nil }
        }
        return hour * 60 + minute
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    package static func text(_ minutes: Int64) -> String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + String(hour) + (minute < 10 ? ":0" : ":") + String(minute)
    }
}

/// A day of the calendar, by its number since 1970-01-01.
package struct SamplingDate: Sendable, Hashable, Comparable {
    package let number: Int64

    package init(number: Int64) { self.number = number }

    /// Reads `2026-11-26`. Only the first ten characters count, because a form's date may be followed by a time.
    ///
    /// - Returns: nil if there is no such day.
    package init?(_ text: String) {
        guard let date = CivilDate(text.trimmed.prefix(10)) else { return nil }
        number = date.daysSince1970
    }

    package var text: String { civil.description }

    var civil: CivilDate { CivilDate(daysSince1970: number) }

    package func adding(_ days: Int64) -> SamplingDate { SamplingDate(number: number &+ days) }

    /// The day of the week, from 0 (Monday) to 6.
    package var weekday: Int { Int(((number &+ 3) % 7 + 7) % 7) }

    package static func < (left: SamplingDate, right: SamplingDate) -> Bool { left.number < right.number }
}

extension LocalZone {
    /// The local date at a time.
    package func date(_ time: Timestamp) -> SamplingDate {
        let (quotient, rest) = wall(time).quotientAndRemainder(dividingBy: LocalZone.day)
        return SamplingDate(number: rest < 0 ? quotient - 1 : quotient)
    }

    /// The first second at which the clocks show a minute of a day, or a later minute; seconds since 1970. A time that
    /// the clocks skip is the moment of the leap. A time that comes twice is the first one.
    ///
    /// - Parameter minute: the minute of the day; 1,440 and above are on the next day.
    package func moment(_ date: SamplingDate, minute: Int64) -> Int64 {
        let wall = date.number &* LocalZone.day &+ minute &* 60_000
        func offset(_ milliseconds: Int64) -> Int64 {
            let time = Timestamp(milliseconds: milliseconds)
            return self.wall(time) - time.milliseconds
        }
        let (before, after) = (offset(wall - LocalZone.day), offset(wall + LocalZone.day))
        let first = wall - before
        if offset(first) == before { return first / 1_000 }
        let second = wall - after
        if offset(second) == after { return second / 1_000 }
        // The clocks skip it: the leap lies between these two.
        var (low, high) = (min(first, second), max(first, second))
        if self.wall(Timestamp(milliseconds: low)) >= wall { return low / 1_000 }
        while high - low > 1_000 {
            let middle = (low + (high - low) / 2) / 1_000 * 1_000
            if self.wall(Timestamp(milliseconds: middle)) >= wall {
                high = middle
            } else {
                low = max(middle, low + 1_000)
            }
        }
        return high / 1_000
    }

    private static let day: Int64 = 86_400_000
}
