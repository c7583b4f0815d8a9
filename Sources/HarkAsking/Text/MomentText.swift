import Glibc
package import HarkWire

/// A date or a time of day as a person writes it.
package enum MomentText {
    package enum Fault: Error, Equatable {
        case noDate, noTime
        /// The month is shorter, or there is no such month.
        case noSuchDay(month: String, days: Int64)
        case unclear(String, String)

        /// A sentence that describes valid input.
        package var sentence: String {
            switch self {
            case .noDate: Words.say("Write a date, such as {example}.", ["example": MomentRule.dateExample])
            case .noTime: Words.say("Write a time, such as {example}.", ["example": MomentRule.timeExample])
            case .noSuchDay(let month, let days):
                Words.say("{month} has {days} days.", ["month": month, "days": String(days)])
            case .unclear(let one, let other):
                Words.say("Write {one} or {other}, whichever you mean.", ["one": one, "other": other])
            }
        }
    }

    /// The date on this machine.
    package static var today: CivilDate {
        var seconds = Glibc.time(nil)
        var local = tm()
        guard localtime_r(&seconds, &local) != nil else { return CivilDate(daysSince1970: Int64(seconds) / 86_400) }
        return CivilDate(
            year: Int64(local.tm_year) + 1_900, month: Int64(local.tm_mon) + 1, day: Int64(local.tm_mday))
    }

    /// Reads an answer; for invalid input, returns the fault.
    ///
    /// - Returns: The answer as it is recorded.
    package static func read(
        _ text: String, _ rule: MomentRule, on today: CivilDate = today
    ) -> Result<String, Fault> {
        switch rule {
        case .date: date(text, on: today).map(\.description)
        case .time: time(text).map(\.description)
        }
    }

    /// Returns the violated rule, as a sentence that describes valid answers; nil if there is none.
    ///
    /// - Parameter answer: As it is recorded.
    package static func problem(_ answer: String, _ rule: MomentRule, on today: CivilDate = today) -> String? {
        if rule.takes(answer, on: today) { return nil }
        let (first, last) = bounds(rule, on: today)
        switch (rule.type, first, last) {
        case (.date, let first?, let last?):
            return Words.say("Write a date from {first} to {last}.", ["first": first, "last": last])
        case (.date, let first?, nil): return Words.say("Write a date from {first} on.", ["first": first])
        case (.date, nil, let last?): return Words.say("Write a date up to {last}.", ["last": last])
        case (_, let first?, let last?):
            return Words.say("Write a time from {first} to {last}.", ["first": first, "last": last])
        case (_, let first?, nil): return Words.say("Write a time not before {first}.", ["first": first])
        case (_, nil, let last?): return Words.say("Write a time not after {last}.", ["last": last])
        case (_, nil, nil): return nil
        }
    }

    /// The bounds in one line, for a prompt; an example if there are none.
    package static func span(_ rule: MomentRule, on today: CivilDate = today) -> String {
        switch bounds(rule, on: today) {
        case (let first?, let last?): "\(first) … \(last)"
        case (let first?, nil): "≥ \(first)"
        case (nil, let last?): "≤ \(last)"
        case (nil, nil): example(rule)
        }
    }

    package static func example(_ rule: MomentRule) -> String {
        rule.type == .date ? MomentRule.dateExample : MomentRule.timeExample
    }

    private static func bounds(_ rule: MomentRule, on today: CivilDate) -> (String?, String?) {
        switch rule {
        case .date(let min, let max): (min?.date(on: today)?.description, max?.date(on: today)?.description)
        case .time(let min, let max): (min?.description, max?.description)
        }
    }

    // MARK: Dates

    /// Reads `2026-01-31`, `31.1.2026`, `31/1/2026`, and the words for yesterday, today and tomorrow.
    ///
    /// With slashes the day comes first in most languages and the month in some, so a date is accepted only if it is the only
    /// possible one.
    private static func date(_ text: String, on today: CivilDate) -> Result<CivilDate, Fault> {
        let days: [(String, String, Int64)] = [
            ("today", Words.say("today"), 0), ("yesterday", Words.say("yesterday"), -1),
            ("tomorrow", Words.say("tomorrow"), 1),
        ]
        let word = text.lowercased()
        if let day = days.first(where: { word == $0.0 || word == $0.1.lowercased() }) {
            return .success(CivilDate(daysSince1970: today.daysSince1970 + day.2))
        }
        guard let (numbers, mark) = numbers(text, partedBy: ["-", ".", "/", "−", "‐", "‑"]), numbers.count == 3 else {
            return .failure(.noDate)
        }
        let values = numbers.map(\.value)
        if numbers[0].digits == 4 {
            return mark == "." ? .failure(.noDate) : day(values[0], values[1], values[2])
        }
        guard numbers[2].digits == 4, numbers[0].digits <= 2, numbers[1].digits <= 2 else { return .failure(.noDate) }
        let dayFirst = day(values[2], values[1], values[0])
        guard mark == "/" || mark == "-", values[0] != values[1] else { return dayFirst }
        switch (dayFirst, day(values[2], values[0], values[1])) {
        case (.success(let one), .success(let other)): return .failure(.unclear(one.description, other.description))
        case (.failure, .success(let other)): return .success(other)
        default: return dayFirst
        }
    }

    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Result<CivilDate, Fault> {
        guard let days = CivilDate.days(inMonth: month, of: year), day >= 1 else { return .failure(.noDate) }
        let date = CivilDate(year: year, month: month, day: day)
        return day <= days ? .success(date) : .failure(.noSuchDay(month: date.monthText, days: days))
    }

    // MARK: Times

    /// Reads `14:30`, `14.30`, `14h30`, `9`, and `2:30 pm`.
    private static func time(_ text: String) -> Result<ClockTime, Fault> {
        var rest = text.lowercased().filter { !$0.isWhitespace }
        var half: Int?
        for (ending, hours) in [("am", 0), ("pm", 12), ("a.m.", 0), ("p.m.", 12)] where rest.hasSuffix(ending) {
            half = hours
            rest.removeLast(ending.count)
            break
        }
        if rest.hasSuffix("h") { rest.removeLast() }
        guard let (numbers, _) = numbers(rest, partedBy: [":", ".", "h"]), (1...2).contains(numbers.count),
            numbers[0].digits <= 2, numbers.count == 1 || numbers[1].digits == 2
        else { return .failure(.noTime) }
        var hour = Int(numbers[0].value)
        if let half {
            guard (1...12).contains(hour) else { return .failure(.noTime) }
            hour = hour % 12 + half
        }
        let minute = numbers.count == 2 ? Int(numbers[1].value) : 0
        return ClockTime(hour: hour, minute: minute).map { .success($0) } ?? .failure(.noTime)
    }

    /// Returns the numbers of a text, in digits of any script, separated by one and the same mark. The mark is also nil for a
    /// single number.
    private static func numbers(
        _ text: String, partedBy marks: Set<Character>
    ) -> (numbers: [(value: Int64, digits: Int)], mark: Character?)? {
        var mark: Character?
        var numbers: [(value: Int64, digits: Int)] = [(0, 0)]
        for character in text {
            if let digit = character.wholeNumberValue, character.unicodeScalars.count == 1,
                character.unicodeScalars.first?.properties.numericType == .decimal
            {
                let last = numbers.count - 1
                guard numbers[last].digits < 4 else { return nil }
                numbers[last] = (numbers[last].value * 10 + Int64(digit), numbers[last].digits + 1)
            } else if marks.contains(character), mark == nil || mark == character, numbers.count < 3 {
                mark = character
                numbers.append((0, 0))
            } else {
                return nil
            }
        }
        return numbers.allSatisfy { $0.digits > 0 } ? (numbers, mark) : nil
    }
}
