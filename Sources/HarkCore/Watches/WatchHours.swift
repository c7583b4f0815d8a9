package import HarkWire

/// The local hours and days at which a watch counts: `08:00-18:00`, `mon-fri`.
///
/// Invariant: some minute of the week is included.
package struct WatchHours: Sendable, Equatable {
    /// The first and the last minute of the day; an end past midnight is on the next day.
    private let opens: Int64
    private let closes: Int64
    /// Whether each day of the week is included, from Monday.
    private let isNamed: [Bool]
    /// The texts as given; nil for all day and every day.
    package let between: String?
    package let days: String?

    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000
    private static let week = 7 * day

    /// - Returns: nil when neither is given.
    package init?(between: String?, days: String?) throws(WireError) {
        guard between != nil || days != nil else { return nil }
        let hours =
            try between.map { text throws(WireError) in try WatchHours.hours(text) } ?? (opens: 0, closes: 1_440)
        (opens, closes) = hours
        isNamed =
            try days.map { text throws(WireError) in try WatchHours.days(text) } ?? Array(repeating: true, count: 7)
        (self.between, self.days) = (between, days)
    }

    /// `08:00-18:00`; `22:00-06:00` ends on the next day.
    private static func hours(_ text: String) throws(WireError) -> (opens: Int64, closes: Int64) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(clock)
        guard ends.count == 2, let opens = ends[0], let closes = ends[1], opens < 1_440, opens != closes else {
            throw WireError(
                .invalidParams, "hours are given like 08:00-18:00, or 22:00-06:00 over midnight; a day ends at 24:00",
                path: "between")
        }
        return (opens, closes < opens ? closes + 1_440 : closes)
    }

    private static func clock(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), minute < 60,
            hour < 24 || hour == 24 && minute == 0
        else { return nil }
        return hour * 60 + minute
    }

    /// `mon-fri`, `sat,sun`, `fri-mon`, or both: `mon-wed,fri`.
    private static func days(_ text: String) throws(WireError) -> [Bool] {
        var isNamed = Array(repeating: false, count: 7)
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                names.firstIndex(of: String($0))
            }
            guard (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil else {
                throw WireError(
                    .invalidParams,
                    "days are given like mon-fri, sat,sun or mon-wed,fri: \(names.joined(separator: ", "))",
                    path: "days")
            }
            for step in 0...((last - first + 7) % 7) { isNamed[(first + step) % 7] = true }
        }
        return isNamed
    }

    /// The included time per week, in milliseconds.
    package var perWeek: Int64 { Int64(isNamed.count { $0 }) * (closes - opens) * WatchHours.minute }

    /// When a given amount of included time has passed.
    ///
    /// - Parameters:
    ///   - span: in milliseconds, at least 1.
    ///   - start: local time, in milliseconds since 1970.
    /// - Returns: local time, in milliseconds since 1970.
    func end(of span: Int64, from start: Int64) -> Int64 {
        // Skips whole weeks but the last.
        let weeks = (span - 1) / perWeek
        var left = span - weeks * perWeek
        let from = start + weeks * WatchHours.week
        let today = WatchHours.floored(from, by: WatchHours.day)
        // Yesterday's hours may reach into today; after a week and a day the span has passed.
        for number in (today - 1)...(today + 8) where isNamed[Int(WatchHours.weekday(number))] {
            let midnight = number * WatchHours.day
            let begin = max(from, midnight + opens * WatchHours.minute)
            let length = midnight + closes * WatchHours.minute - begin
            guard length > 0 else { continue }
            if length >= left { return begin + left }
            left -= length
        }
        return from + WatchHours.week
    }

    /// The end of the included hours around a local time; nil if it is not included. Both in local time, as in
    /// `end(of:from:)`.
    func end(around wall: Int64) -> Int64? {
        let today = WatchHours.floored(wall, by: WatchHours.day)
        // Yesterday's hours may reach into today.
        return [today, today - 1].compactMap { number in
            let midnight = number * WatchHours.day
            let (begin, end) = (midnight + opens * WatchHours.minute, midnight + closes * WatchHours.minute)
            return isNamed[Int(WatchHours.weekday(number))] && begin <= wall && wall < end ? end : nil
        }.max()
    }

    /// The starts of included hours within a week and a day after a local time.
    func starts(after wall: Int64) -> [Int64] {
        let today = WatchHours.floored(wall, by: WatchHours.day)
        return (today...(today + 8)).filter { isNamed[Int(WatchHours.weekday($0))] }
            .map { $0 * WatchHours.day + opens * WatchHours.minute }.filter { $0 > wall }
    }

    /// The day of the week, from Monday: 1970 began on a Thursday.
    private static func weekday(_ day: Int64) -> Int64 { ((day + 3) % 7 + 7) % 7 }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

/// The local time zone.
package struct LocalZone: Sendable {
    /// The local offset from UTC at a time, in milliseconds.
    private let offset: @Sendable (Timestamp) -> Int64

    package init(offset: @escaping @Sendable (Timestamp) -> Int64) { self.offset = offset }

    package static let utc = LocalZone { _ in 0 }

    func wall(_ time: Timestamp) -> Int64 { time.milliseconds + offset(time) }

    /// The time after `start` at which the local clock shows `wall`; for a repeated hour, one of the two.
    func time(wall: Int64, after start: Timestamp) -> Timestamp {
        let guess = Timestamp(milliseconds: wall).adding(milliseconds: -offset(start))
        return max(start, Timestamp(milliseconds: wall).adding(milliseconds: -offset(guess)))
    }
}
