internal import HarkWire

/// The yearly rule for setting the clocks, in the form of the POSIX variable TZ: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable {
    /// Seconds ahead of UTC.
    private let standard: Int64
    private let summer: (offset: Int64, begins: Day, ends: Day)?

    /// A moment of the year, by the local clock before it is set.
    private struct Day {
        enum Kind {
            /// The n-th of a weekday (0 is Sunday) in a month; the fifth means the last.
            case weekday(month: Int64, week: Int64, day: Int64)
            /// The day of the year from 1 on; 29 February does not count.
            case julian(Int64)
            /// The day of the year from 0 on; 29 February counts.
            case ordinal(Int64)
        }

        let kind: Kind
        let seconds: Int64

        /// The moment in a year, in seconds since 1970 of local time.
        func wall(in year: Int64) -> Int64 {
            let january = CivilDate(year: year, month: 1, day: 1).daysSince1970
            let day: Int64
            switch kind {
            case .ordinal(let number): day = january + number
            case .julian(let number):
                let isLeap = CivilDate(year: year, month: 2, day: 29).exists
                day = january + number - 1 + (isLeap && number >= 60 ? 1 : 0)
            case .weekday(let month, let week, let weekday):
                let first = CivilDate(year: year, month: month, day: 1).daysSince1970
                // 1970 began on a Thursday.
                let ofFirst = ((first + 4) % 7 + 7) % 7
                var candidate = first + (weekday - ofFirst + 7) % 7 + (week - 1) * 7
                while CivilDate(daysSince1970: candidate).month != month { candidate -= 7 }
                day = candidate
            }
            return day * 86_400 + seconds
        }
    }

    /// - Returns: nil if the text is not a rule, or is empty.
    init?(_ text: String) {
        var rest = text[...]
        guard ZoneRule.name(&rest), let standard = ZoneRule.time(&rest) else { return nil }
        self.standard = -standard
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard ZoneRule.name(&rest) else { return nil }
        let offset = rest.first == "," ? self.standard + 3_600 : ZoneRule.time(&rest).map { -$0 }
        guard let offset, let begins = ZoneRule.day(&rest), let ends = ZoneRule.day(&rest), rest.isEmpty else {
            return nil
        }
        summer = (offset, begins, ends)
    }

    func offset(atSeconds time: Int64) -> Int64 {
        guard let summer else { return standard }
        let (days, rest) = (time + standard).quotientAndRemainder(dividingBy: 86_400)
        let year = CivilDate(daysSince1970: rest < 0 ? days - 1 : days).year
        let begins = summer.begins.wall(in: year) - standard
        let ends = summer.ends.wall(in: year) - summer.offset
        // South of the equator, summer time spans the turn of the year.
        let isSummer = begins < ends ? begins <= time && time < ends : time < ends || begins <= time
        return isSummer ? summer.offset : standard
    }

    private static func name(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[end...].dropFirst()
            return true
        }
        let letters = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    private static func number(_ rest: inout Substring) -> Int64? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(digits.count), let number = Int64(digits) else { return nil }
        rest = rest.dropFirst(digits.count)
        return number
    }

    private static func take(_ sign: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == sign else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads `-1`, `3:30` or `+2:00:00`, in seconds.
    private static func time(_ rest: inout Substring) -> Int64? {
        let isNegative = take("-", &rest)
        if !isNegative { _ = take("+", &rest) }
        guard let hours = number(&rest) else { return nil }
        var seconds = hours * 3_600
        for unit in [60, 1] as [Int64] where take(":", &rest) {
            guard let more = number(&rest) else { return nil }
            seconds += more * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads a day with its time: `,M3.5.0/2`.
    private static func day(_ rest: inout Substring) -> Day? {
        guard take(",", &rest) else { return nil }
        let kind: Day.Kind
        if take("M", &rest) {
            guard let month = number(&rest), take(".", &rest), let week = number(&rest), take(".", &rest),
                let day = number(&rest), (1...12).contains(month), (1...5).contains(week), (0...6).contains(day)
            else { return nil }
            kind = .weekday(month: month, week: week, day: day)
        } else if take("J", &rest) {
            guard let number = number(&rest), (1...365).contains(number) else { return nil }
            kind = .julian(number)
        } else {
            guard let number = number(&rest), (0...365).contains(number) else { return nil }
            kind = .ordinal(number)
        }
        guard take("/", &rest) else { return Day(kind: kind, seconds: 7_200) }
        return time(&rest).map { Day(kind: kind, seconds: $0) }
    }
}
