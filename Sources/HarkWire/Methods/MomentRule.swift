/// Which dates, or which times of day, answer a question. Dates are without a time zone, as a person means them.
package enum MomentRule: Sendable, Equatable {
    case date(min: DateBound?, max: DateBound?)
    /// A latest time before the earliest is on the next day: from 22:00 to 06:00.
    case time(min: ClockTime?, max: ClockTime?)

    package var type: QuestionType {
        switch self {
        case .date: .date
        case .time: .time
        }
    }

    package static let dateExample = "2026-01-31"
    package static let timeExample = "14:30"

    /// Whether an answer keeps the rule.
    ///
    /// - Parameters:
    ///   - text: as it is recorded, such as `2026-01-31` or `14:30`.
    ///   - today: where the person is; nil: what depends on it is not checked.
    ///   - slack: how many days off it may be, as a midnight may pass, or clocks differ.
    package func takes(_ text: String, on today: CivilDate?, slack: Int64 = 0) -> Bool {
        switch self {
        case .date(let min, let max):
            guard let date = CivilDate(text) else { return false }
            let isEarly = min.flatMap { $0.date(on: today, slack: -slack) }.map { date < $0 } ?? false
            let isLate = max.flatMap { $0.date(on: today, slack: slack) }.map { date > $0 } ?? false
            return !isEarly && !isLate
        case .time(let min, let max):
            guard let time = ClockTime(text) else { return false }
            if let min, let max, min > max { return time >= min || time <= max }
            return min.map { time >= $0 } ?? true && max.map { time <= $0 } ?? true
        }
    }

    /// The texts of the bounds, as a document has them.
    package var bounds: (min: String?, max: String?) { bounds(on: nil) }

    private func bounds(on today: CivilDate?) -> (min: String?, max: String?) {
        switch self {
        case .date(let min, let max):
            (
                min.map { $0.date(on: today)?.description ?? $0.text },
                max.map { $0.date(on: today)?.description ?? $0.text }
            )
        case .time(let min, let max): (min?.description, max?.description)
        }
    }

    /// What an answer must be, as words behind "must be".
    ///
    /// - Parameter today: where the person is; nil: a bound that depends on it is named as a document has it.
    package func words(on today: CivilDate? = nil) -> String {
        let (kind, example) = type == .date ? ("a date", Self.dateExample) : ("a time of day", Self.timeExample)
        let span =
            switch bounds(on: today) {
            case (let min?, let max?): " from \(min) to \(max)"
            case (let min?, nil): type == .date ? " from \(min) on" : " not before \(min)"
            case (nil, let max?): type == .date ? " up to \(max)" : " not after \(max)"
            case (nil, nil): ""
            }
        return "\(kind)\(span), such as \"\(example)\""
    }
}

/// The first or last date that answers a question: a date, or a distance from today.
package struct DateBound: Sendable, Hashable {
    /// As a document has it: `2026-01-31`, `today`, or `-7d`, `+2w`, `+6m`, `-18y` from today.
    package let text: String
    /// Nil: today.
    private let base: CivilDate?
    private let months: Int64
    private let days: Int64

    /// Whether it depends on what day it is.
    package var isRelative: Bool { base == nil }

    /// The farthest from today, in days or months.
    private static let farthest: Int64 = 100_000

    package static let expectation =
        "a date such as \"\(MomentRule.dateExample)\", \"today\", or a span from today such as \"-7d\" (d, w, m, y)"

    package init?(_ text: String) {
        self.text = text
        if text == "today" {
            (base, months, days) = (nil, 0, 0)
        } else if let date = CivilDate(text) {
            (base, months, days) = (date, 0, 0)
        } else {
            guard let sign = text.first, sign == "-" || sign == "+", let unit = text.last,
                text.utf8.count <= 8, text.dropFirst().dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int64(text.dropFirst().dropLast())
            else { return nil }
            let signed = sign == "-" ? -number : number
            switch unit {
            case "d": (months, days) = (0, signed)
            case "w": (months, days) = (0, signed * 7)
            case "m": (months, days) = (signed, 0)
            case "y": (months, days) = (signed * 12, 0)
            default: return nil
            }
            guard abs(months) <= Self.farthest, abs(days) <= Self.farthest else { return nil }
            base = nil
        }
    }

    /// The date, once it is known what day it is. A day that a month does not have is its last one.
    package func date(on today: CivilDate?, slack: Int64 = 0) -> CivilDate? {
        if let base { return base }
        guard let today else { return nil }
        let count = today.year * 12 + today.month - 1 + months
        let (year, month) = (count / 12, count % 12 + 1)
        guard let last = CivilDate.days(inMonth: month, of: year) else { return nil }
        let date = CivilDate(year: year, month: month, day: min(today.day, last))
        let moved = CivilDate(daysSince1970: date.daysSince1970 + days + slack)
        return (1...9999).contains(moved.year) ? moved : nil
    }
}

/// A time of day to the minute, such as `14:30`.
package struct ClockTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 0 to 1,439.
    package let minutes: Int

    package init?(hour: Int, minute: Int) {
        guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
        minutes = hour * 60 + minute
    }

    /// Reads `09:30`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [2, 2], text.utf8.allSatisfy({ $0 == 0x3A || (0x30...0x39).contains($0) }),
            let hour = Int(parts[0]), let minute = Int(parts[1])
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    package var description: String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + String(hour) + (minute < 10 ? ":0" : ":") + String(minute)
    }

    package static func < (left: ClockTime, right: ClockTime) -> Bool { left.minutes < right.minutes }
}
