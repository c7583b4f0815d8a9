import Glibc
import HarkWire

/// The length of a time bucket, as given to `--every`: `15m`, `1h`, `1d`, `1w`, `1mo`, `1y`.
///
/// Buckets follow local time. Minutes and hours count from midnight, so a day with a clock change has an hour less or
/// more. Weeks begin on Monday, months and years on their first day.
struct TimeStep: Equatable {
    enum Unit: String, CaseIterable {
        case minute = "m"
        case hour = "h"
        case day = "d"
        case week = "w"
        case month = "mo"
        case year = "y"

        var word: String {
            switch self {
            case .minute: "min"
            case .hour: "h"
            case .day: "day"
            case .week: "week"
            case .month: "month"
            case .year: "year"
            }
        }
    }

    let count: Int
    let unit: Unit

    static let forms = "15m, 1h, 1d, 1w, 1mo or 1y"
    static let most = 1_000

    /// The step in words: `every hour`, `every 15 min`.
    var words: String {
        let word = unit == .hour && count == 1 ? "hour" : unit == .minute && count == 1 ? "minute" : unit.word
        let isCounted = unit == .minute || unit == .hour
        return count == 1 ? "every \(word)" : "every \(count) \(word)\(isCounted ? "" : "s")"
    }

    static func parse(_ text: String) throws(ToolError) -> TimeStep {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let number = digits.isEmpty ? 1 : Int(digits)
        guard let number, (1...10_000).contains(number), let unit = Unit(rawValue: String(text.dropFirst(digits.count)))
        else { throw .usage("'--every \(text)' is no span of time", hint: "Write it like \(forms).") }
        return TimeStep(count: number, unit: unit)
    }

    /// Returns the shortest step that divides a range into at most this many buckets.
    static func fitting(_ range: ClosedRange<Timestamp>, atMost most: Int) -> TimeStep {
        let length = range.upperBound.milliseconds - range.lowerBound.milliseconds
        let steps: [(Int, Unit, Int64)] = [
            (1, .minute, 60), (5, .minute, 300), (15, .minute, 900), (1, .hour, 3_600), (6, .hour, 21_600),
            (1, .day, 86_400), (1, .week, 604_800), (1, .month, 2_592_000),
        ]
        let found = steps.first { length / ($0.2 * 1_000) < Int64(most) }
        return found.map { TimeStep(count: $0.0, unit: $0.1) } ?? TimeStep(count: 1, unit: .year)
    }

    /// Returns the start of each bucket in a range, and the end of the last one.
    ///
    /// - Throws: If there are more than `most`.
    func boundaries(_ range: ClosedRange<Timestamp>) throws(ToolError) -> [Timestamp] {
        var boundaries: [Timestamp] = []
        var place = start(of: range.lowerBound)
        while true {
            // At a clock change, two steps may lead to the same time.
            if place > boundaries.last ?? .earliest || boundaries.isEmpty {
                // Buckets before the range are dropped: the first step is at midnight of its first day.
                if place <= range.lowerBound { boundaries.removeAll() }
                boundaries.append(place)
            }
            if place > range.upperBound, boundaries.count > 1 { return trimmed(boundaries, to: range) }
            guard boundaries.count <= Self.most + 2 else {
                throw .usage(
                    "\(words) makes more than \(Self.most) buckets of this time",
                    hint: "Take a longer '--every', or a later '--since'.")
            }
            let next = after(place)
            // Time stamps have a maximum.
            guard next > place else { return trimmed(boundaries, to: range) }
            place = next
        }
    }

    /// Drops buckets before the one in which the range begins.
    private func trimmed(_ boundaries: [Timestamp], to range: ClosedRange<Timestamp>) -> [Timestamp] {
        let first = boundaries.lastIndex { $0 <= range.lowerBound } ?? 0
        return Array(boundaries[first...])
    }

    /// Returns a boundary at or before a time.
    private func start(of time: Timestamp) -> Timestamp {
        let fields = LocalTime.fields(time)
        let year = Int(fields.tm_year) + 1900
        switch unit {
        case .minute, .hour, .day: return LocalTime.midnight(daysFrom: time, 0)
        case .week: return LocalTime.midnight(daysFrom: time, -((Int(fields.tm_wday) + 6) % 7))
        case .month: return LocalTime.moment(year: year, month: Int(fields.tm_mon) + 1, day: 1) ?? time
        case .year: return LocalTime.moment(year: year, month: 1, day: 1) ?? time
        }
    }

    private func after(_ time: Timestamp) -> Timestamp {
        let fields = LocalTime.fields(time)
        let year = Int(fields.tm_year) + 1900
        switch unit {
        case .minute, .hour:
            let tomorrow = LocalTime.midnight(daysFrom: time, 1)
            guard unit == .hour, count > 1 else {
                return min(tomorrow, time.adding(milliseconds: Int64(count) * (unit == .minute ? 60_000 : 3_600_000)))
            }
            // A bucket of several hours is longer or shorter at a clock change.
            let hour = (Int(fields.tm_hour) / count + 1) * count
            guard hour < 24 else { return tomorrow }
            let next = LocalTime.moment(
                year: year, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday), hour: hour)
            return min(tomorrow, max(next ?? tomorrow, time.adding(milliseconds: 60_000)))
        case .day: return LocalTime.midnight(daysFrom: time, count)
        case .week: return LocalTime.midnight(daysFrom: time, 7 * count)
        case .month:
            let month = Int(fields.tm_mon) + count
            return LocalTime.moment(year: year + month / 12, month: month % 12 + 1, day: 1) ?? .latest
        case .year: return LocalTime.moment(year: year + count, month: 1, day: 1) ?? .latest
        }
    }

    /// Returns the label of a bucket that begins at a time.
    func label(_ time: Timestamp) -> String {
        let text = LocalTime.text(time)
        return switch unit {
        case .minute, .hour: String(text.prefix(16))
        case .day, .week: String(text.prefix(10))
        case .month: String(text.prefix(7))
        case .year: String(text.prefix(4))
        }
    }
}
