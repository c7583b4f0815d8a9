import Glibc

/// Parses times as people and other programs write them. Every input of times uses this.
///
/// - RFC 3339 and ISO 8601 with any offset, as `date -Iseconds`, `journalctl -o short-iso` and `datetime.isoformat()`
///   print it: `2026-11-21T14:30:05.250+01:00`, also with a space instead of `T`, `+0100` or `+01`, a comma before the
///   fraction, no seconds
/// - the same without an offset, in local time; a date alone is its local midnight, `14:30` is today's
/// - the output of `date`, `date -R` and `journalctl -o short-full`: `Sat Nov 21 14:30:05 CET 2026`,
///   `Sat, 21 Nov 2026 14:30:05 +0100`
/// - `@1700000000.5`: seconds since 1970
/// - a time ago: `30s`, `10m`, `2h`, `3d`, `1w`, or the same with a minus: `-2h`
package enum TimeReader {
    /// Why a text is not a time, as a clause.
    package struct Fault: Error, Equatable {
        package let words: String

        static let unknown = Fault(words: "this is in none of the forms that can be read")
        static let noSuchDay = Fault(words: "the calendar has no such day")
        static let noSuchHour = Fault(words: "hours go from 00 to 23, minutes and seconds from 00 to 59")
        static let noSuchOffset = Fault(words: "an offset goes from -23:59 to +23:59")
        static let noSuchZone = Fault(
            words: "its zone is a name that clocks here do not show; write its offset, as in 2026-11-21T14:30:00+01:00")
        static let noDay = Fault(words: "it tells no whole day: year, month and day")
        static let outside = Fault(
            words: "it lies outside the years 0000 to 9999; behind an @ stand seconds, not milliseconds")
        static let bareSeconds = Fault(words: "seconds since 1970 are written as a text with an @: \"@1700000000\"")
    }

    private static let longest = 64

    package static func read(_ text: String, now: Timestamp? = nil) throws(Fault) -> Timestamp {
        if let time = Timestamp(text) { return time }
        guard text.utf8.count <= longest, text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .unknown }
        let words = text.split { $0 == " " || $0 == "\t" || $0.isNewline }
        if words.count == 1, let word = words.first {
            if word.first == "@" { return try seconds(word.dropFirst()) }
            if word.allSatisfy(\.isNumber), word.count > 4 { throw .bareSeconds }
            if let time = ago(word, now ?? LocalTime.now) { return time }
        }
        var fields = TimeFields()
        for word in words { try fields.take(word.last == "," ? word.dropLast() : word) }
        return try fields.moment(now)
    }

    /// Parses a JSON value.
    package static func read(_ value: JSONValue) throws(Fault) -> Timestamp {
        guard let text = value.stringValue else { throw value.doubleValue == nil ? .unknown : .bareSeconds }
        return try read(text)
    }

    private static func seconds(_ text: Substring) throws(Fault) -> Timestamp {
        let isBefore = text.first == "-"
        let parts = text.drop { $0 == "-" || $0 == "+" }.split(
            maxSplits: 1, omittingEmptySubsequences: false
        ) { $0 == "." || $0 == "," }
        guard let whole = parts.first, !whole.isEmpty, whole.allSatisfy(\.isNumber),
            text.count - parts.joined(separator: ".").count <= 1,
            let fraction = parts.count == 1 ? 0 : TimeFields.milliseconds(parts[1])
        else { throw .unknown }
        guard let seconds = Int64(whole), seconds < 1 << 40 else { throw .outside }
        let milliseconds = (seconds * 1_000 + fraction) * (isBefore ? -1 : 1)
        let time = Timestamp(milliseconds: milliseconds)
        guard time.milliseconds == milliseconds else { throw .outside }
        return time
    }

    private static func ago(_ text: Substring, _ now: Timestamp) -> Timestamp? {
        let text = text.first == "-" ? text.dropFirst() : text
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
}

/// The fields of a time, whose words may come in any order.
private struct TimeFields {
    private var year: Int?
    private var month: Int?
    private var day: Int?
    private var hasWeekday = false
    private var clock: (hour: Int, minute: Int, second: Int, millisecond: Int64)?
    private var isAfternoon: Bool?
    /// Seconds east of UTC.
    private var offset: Int?
    private var zone: String?

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    mutating func take(_ word: Substring) throws(TimeReader.Fault) {
        guard let first = word.first else { throw .unknown }
        if first == "+" || first == "-" { return try takeZone(word) }
        if first.isNumber { return try takeNumbers(word) }
        let start = word.prefix(3).lowercased()
        if clock == nil || year == nil, word.count == 3 || word.count > 5 {
            if !hasWeekday, Self.weekdays.contains(start) {
                hasWeekday = true
                return
            }
            if month == nil, let place = Self.months.firstIndex(of: start) {
                month = place + 1
                return
            }
        }
        if isAfternoon == nil, clock != nil, ["am", "pm"].contains(word.lowercased()) {
            isAfternoon = first == "p" || first == "P"
            return
        }
        if clock != nil || first == "Z" { return try takeZone(word) }
        throw .unknown
    }

    private mutating func takeNumbers(_ word: Substring) throws(TimeReader.Fault) {
        let colon = word.firstIndex(of: ":")
        if let dash = word.firstIndex(of: "-"), dash < colon ?? word.endIndex { return try takeDate(word) }
        if colon != nil { return try takeClock(word) }
        let digits = word.last == "." ? word.dropLast() : word
        guard let number = Int(digits), digits.allSatisfy(\.isNumber) else { throw .unknown }
        if digits.count <= 2, day == nil {
            day = number
        } else if digits.count == 4, year == nil {
            year = number
        } else {
            throw .unknown
        }
    }

    /// Parses `2026-11-21`, and a time after a `T`.
    private mutating func takeDate(_ word: Substring) throws(TimeReader.Fault) {
        let date = word.prefix(10)
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard year == nil, month == nil, day == nil, parts.map(\.count) == [4, 2, 2],
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { throw .unknown }
        (self.year, self.month, self.day) = (year, month, day)
        let rest = word.dropFirst(10)
        guard let sign = rest.first else { return }
        guard sign == "T" || sign == "t" || sign == "_" else { throw .unknown }
        try takeClock(rest.dropFirst())
    }

    /// Parses `14:30:05.250`, and a zone after it.
    private mutating func takeClock(_ word: Substring) throws(TimeReader.Fault) {
        guard clock == nil else { throw .unknown }
        let end = word.firstIndex { !$0.isNumber && $0 != ":" && $0 != "." && $0 != "," } ?? word.endIndex
        let second = word[..<end].split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        let parts = second.first?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        guard (1...3).contains(parts.count), parts.allSatisfy({ $0.count == 2 }),
            second.count == 1 || parts.count == 3,
            let fraction = second.count == 1 ? 0 : Self.milliseconds(second[1])
        else { throw .unknown }
        let numbers = parts.compactMap { Int($0) } + [0, 0]
        guard numbers[0] < 24, numbers[1] < 60, numbers[2] < 60 else { throw .noSuchHour }
        clock = (numbers[0], numbers[1], numbers[2], fraction)
        if end < word.endIndex { try takeZone(word[end...]) }
    }

    private mutating func takeZone(_ word: Substring) throws(TimeReader.Fault) {
        guard offset == nil, zone == nil, clock != nil else { throw .unknown }
        if ["z", "utc", "gmt", "ut"].contains(word.lowercased()) {
            offset = 0
        } else if word.first == "+" || word.first == "-" {
            let digits = word.dropFirst().filter { $0 != ":" }
            let isPaired = word.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.count % 2 == 0 }
            guard isPaired, (2...6).contains(digits.count), digits.allSatisfy(\.isNumber),
                let number = Int(digits + String(repeating: "0", count: 6 - digits.count))
            else { throw .unknown }
            let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
            guard hour < 24, minute < 60, second < 60 else { throw .noSuchOffset }
            offset = (hour * 3_600 + minute * 60 + second) * (word.first == "-" ? -1 : 1)
        } else {
            guard word.allSatisfy({ $0.isLetter && $0.isASCII }) else { throw .unknown }
            zone = String(word)
        }
    }

    /// Parses the fraction of a second, truncated to milliseconds.
    static func milliseconds(_ digits: Substring) -> Int64? {
        guard (1...18).contains(digits.count), digits.allSatisfy(\.isNumber) else { return nil }
        return Int64(digits.prefix(3) + String(repeating: "0", count: max(0, 3 - digits.count)))
    }

    func moment(_ now: Timestamp?) throws(TimeReader.Fault) -> Timestamp {
        var (year, month, day) = (year, month, day)
        if clock != nil, year == nil, month == nil, day == nil, !hasWeekday, offset == nil, zone == nil {
            let today = LocalTime.fields(now ?? LocalTime.now)
            (year, month, day) = (Int(today.tm_year) + 1900, Int(today.tm_mon) + 1, Int(today.tm_mday))
        }
        guard let year, let month, let day else {
            throw clock == nil && (year ?? month ?? day) == nil ? .unknown : .noDay
        }
        let date = CivilDate(year: Int64(year), month: Int64(month), day: Int64(day))
        guard date.exists else { throw .noSuchDay }
        let (hour, minute, second, millisecond) = clock ?? (0, 0, 0, 0)
        let hours = try self.hours(hour)
        guard let offset else {
            let local = LocalTime.moment(
                year: year, month: month, day: day, hour: hours, minute: minute, second: second, zone: zone)
            guard let local else { throw zone == nil ? .noSuchDay : .noSuchZone }
            return local.adding(milliseconds: millisecond)
        }
        let seconds = date.daysSince1970 * 86_400 + Int64(hours * 3_600 + minute * 60 + second - offset)
        let time = Timestamp(milliseconds: seconds * 1_000 + millisecond)
        guard time.milliseconds == seconds * 1_000 + millisecond else { throw .outside }
        return time
    }

    /// Converts an hour with am or pm to 24 hours.
    private func hours(_ hour: Int) throws(TimeReader.Fault) -> Int {
        guard let isAfternoon else { return hour }
        guard (1...12).contains(hour) else { throw .noSuchHour }
        return hour % 12 + (isAfternoon ? 12 : 0)
    }
}
