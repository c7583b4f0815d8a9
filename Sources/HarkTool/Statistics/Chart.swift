import Glibc
import HarkClient
import HarkWire

/// The data of a chart: a number for each time bucket, in one or more series.
struct Chart {
    /// The number that a chart shows.
    enum Measure: Equatable {
        case count, sum, mean, min, max, distinct
        /// The percentile at this index of those requested.
        case percentile(Double)

        static let forms = "count, sum, mean, min, max, distinct or a percentile like p95"

        static func parse(_ text: String) throws(ToolError) -> Measure {
            switch text {
            case "count": return .count
            case "sum": return .sum
            case "mean": return .mean
            case "min": return .min
            case "max": return .max
            case "distinct": return .distinct
            default:
                guard text.first == "p", let percent = Double(text.dropFirst()), (0...100).contains(percent) else {
                    throw .usage("'--show \(text)' is nothing a chart can show", hint: "It is one of \(forms).")
                }
                return .percentile(percent)
            }
        }

        /// Whether an empty bucket is 0, so that the chart can use bars.
        var isAdditive: Bool { self == .count || self == .sum || self == .distinct }

        func words(of value: String?, distinct: String?) -> String {
            let value = value ?? "events"
            return switch self {
            case .count: "events"
            case .sum: "sum of \(value)"
            case .mean: "mean of \(value)"
            case .min: "least \(value)"
            case .max: "greatest \(value)"
            case .distinct: "different \(distinct ?? "values")"
            case .percentile(let percent): "p\(NumberText.make(percent)) of \(value)"
            }
        }
    }

    struct Series {
        /// Empty if it is the only series.
        let name: String
        /// A value for each bucket; nil where there is none.
        let values: [Double?]
    }

    let title: String
    /// The subject of the counts, without buckets and groups.
    let subject: String
    let step: TimeStep
    /// The start of each bucket, and the end of the last one.
    let boundaries: [Timestamp]
    let series: [Series]
    let measure: Measure
    /// A note on omitted data, if there is any.
    let note: String?

    init(_ statistics: Statistics, _ measure: Measure, _ step: TimeStep, most: Int) {
        let request = statistics.request
        self.measure = measure
        self.step = step
        boundaries = statistics.boundaries
        let buckets = Swift.max(0, statistics.boundaries.count - 1)
        func values(_ group: Statistics.Group) -> [Double?] {
            (0..<buckets).map { Chart.value(of: group.buckets[$0], measure) }
        }
        let shown = statistics.groups.prefix(most)
        series =
            request.by.isEmpty
            ? [Series(name: "", values: values(statistics.total))]
            : shown.map { group in
                Series(name: group.by.map(StatisticsTable.label).joined(separator: ", "), values: values(group))
            }
        let what = measure.words(of: request.value.map { VisibleText.make($0) }, distinct: request.distinct)
        let name = request.name.map { VisibleText.make($0) + ": " } ?? ""
        let by = request.by.isEmpty ? "" : ", by " + request.by.map { VisibleText.make($0) }.joined(separator: ", ")
        subject = name + what
        title = subject + ", " + step.words + by
        let hidden = statistics.groupCount - Int64(shown.count)
        note =
            request.by.isEmpty || hidden <= 0
            ? nil : "… and \(hidden) more with fewer events each: --limit N shows more, --where fewer"
    }

    static func value(of cell: Statistics.Cell?, _ measure: Measure) -> Double? {
        guard let cell else { return measure.isAdditive ? 0 : nil }
        return switch measure {
        case .count: Double(cell.count)
        case .sum: cell.sum?.double ?? 0
        case .mean: cell.mean
        case .min: cell.min?.double
        case .max: cell.max?.double
        case .distinct: Double(cell.distinct ?? 0)
        case .percentile: cell.percentiles.first?.double
        }
    }

    /// The range of the value axis. It includes 0 for bars.
    var range: ClosedRange<Double> {
        let values = series.flatMap { $0.values.compactMap(\.self) }.filter(\.isFinite)
        var (low, high) = (values.min() ?? 0, values.max() ?? 0)
        // Bars start at 0. A line with values close to 0 does too, or small changes would look large.
        if measure.isAdditive || low > 0 && low < high / 2 { low = Swift.min(low, 0) }
        if measure.isAdditive { high = Swift.max(high, 0) }
        if low == high { (low, high) = low > 0 ? (0, high) : low < 0 ? (low, 0) : (0, 1) }
        return low...high
    }

    /// Whether all values are whole numbers.
    var isWhole: Bool { series.allSatisfy { $0.values.allSatisfy { $0.map { $0 == $0.rounded() } ?? true } } }

    /// Whether a bucket begins on a Saturday or Sunday. False for buckets that may hold other days as well.
    func isWeekend(_ bucket: Int) -> Bool {
        guard boundaries.indices.contains(bucket) else { return false }
        switch step.unit {
        case .day where step.count > 1: return false
        case .minute, .hour, .day: return [0, 6].contains(LocalTime.fields(boundaries[bucket]).tm_wday)
        case .week, .month, .year: return false
        }
    }

    /// Returns the label of a bucket.
    func label(_ bucket: Int) -> String { step.label(boundaries[bucket]) }
}
