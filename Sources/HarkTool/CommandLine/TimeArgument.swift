import Glibc
import HarkWire

/// A moment as it is given on a command line.
///
/// - so long ago: `30s`, `10m`, `2h`, `3d`, `1w`, or the same with a minus: `-2h`
/// - `now`, `today` and `yesterday` (their midnight)
/// - `2026-11-21`, `2026-11-21 14:30`, `2026-11-21T14:30:05.250` by the clocks here; `14:30` of today
/// - ISO 8601 with its zone: `2026-11-21T14:30:05Z`, `2026-11-21T14:30:05+01:00`
enum TimeArgument {
    static let forms = "10m, 2h, 3d, today, yesterday, 2026-11-21, '2026-11-21 14:30' or 2026-11-21T14:30:00Z"

    static func parse(_ text: String, option: String, now: Timestamp) throws(ToolError) -> Timestamp {
        guard let time = moment(text, now: now) else {
            throw .usage("'--\(option) \(text)' is no time hark can read", hint: "Write it like \(forms).")
        }
        return time
    }

    /// What `--since` and `--until` say.
    static func range(_ arguments: Arguments) throws(ToolError) -> (since: Timestamp?, until: Timestamp?) {
        let now = LocalTime.now
        var times: [Timestamp?] = []
        for option in [Option.since, .until] {
            times.append(
                try arguments[option].map { text throws(ToolError) in try parse(text, option: option.name, now: now) })
        }
        if let since = times[0], let until = times[1], until < since {
            throw ToolError.usage("'--until' is before '--since'")
        }
        return (times[0], times[1])
    }

    private static func moment(_ text: String, now: Timestamp) -> Timestamp? {
        switch text {
        case "now": return now
        case "today": return LocalTime.midnight(daysFrom: now, 0)
        case "yesterday": return LocalTime.midnight(daysFrom: now, -1)
        default: return ago(text, now: now) ?? Timestamp(text) ?? local(text, now: now)
        }
    }

    private static func ago(_ text: String, now: Timestamp) -> Timestamp? {
        let text = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let unit = text.last, text.first?.isNumber == true, let number = Int64(text.dropLast()) else {
            return nil
        }
        let seconds: Int64
        switch unit {
        case "s": seconds = 1
        case "m": seconds = 60
        case "h": seconds = 3600
        case "d": seconds = 86_400
        case "w": seconds = 604_800
        default: return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: seconds * 1000)
        return overflow ? .earliest : now.adding(milliseconds: -milliseconds)
    }

    private static func local(_ text: String, now: Timestamp) -> Timestamp? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        switch parts.count {
        case 1 where text.contains(":"):
            let today = LocalTime.fields(now)
            guard let clock = clock(parts[0]) else { return nil }
            return LocalTime.moment(
                year: Int(today.tm_year) + 1900, month: Int(today.tm_mon) + 1, day: Int(today.tm_mday),
                hour: clock.hour, minute: clock.minute, second: clock.second
            )?.adding(milliseconds: clock.millisecond)
        case 1:
            guard let date = date(parts[0]) else { return nil }
            return LocalTime.moment(year: date.year, month: date.month, day: date.day)
        case 2:
            guard let date = date(parts[0]), let clock = clock(parts[1]) else { return nil }
            return LocalTime.moment(
                year: date.year, month: date.month, day: date.day,
                hour: clock.hour, minute: clock.minute, second: clock.second
            )?.adding(milliseconds: clock.millisecond)
        default: return nil
        }
    }

    private static func date(_ text: Substring) -> (year: Int, month: Int, day: Int)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = digits(parts[0], 4), let month = digits(parts[1], 2),
            let day = digits(parts[2], 2)
        else { return nil }
        return (year, month, day)
    }

    private static func clock(_ text: Substring) -> (hour: Int, minute: Int, second: Int, millisecond: Int64)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = digits(parts[0], 2), let minute = digits(parts[1], 2) else {
            return nil
        }
        guard parts.count == 3 else { return (hour, minute, 0, 0) }
        let second = parts[2].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = digits(second[0], 2) else { return nil }
        guard second.count == 2 else { return (hour, minute, whole, 0) }
        guard (1...9).contains(second[1].count), let fraction = Int64(second[1].prefix(3)), fraction >= 0 else {
            return nil
        }
        let scale: Int64 = second[1].count == 1 ? 100 : second[1].count == 2 ? 10 : 1
        return (hour, minute, whole, fraction * scale)
    }

    private static func digits(_ text: Substring, _ count: Int) -> Int? {
        text.count == count && text.allSatisfy { $0.isASCII && $0.isNumber } ? Int(text) : nil
    }
}
