import HarkClient
import HarkWire

/// A number to draw in a report (`--chart`).
struct ReportMetric {
    /// The words of `--chart`.
    struct Wish {
        let name: String
        let value: String?
        let measure: Chart.Measure

        /// - Parameter text: `NAME`, `NAME VALUE` or `NAME VALUE NUMBER`.
        init(_ text: String) throws(ToolError) {
            let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = words.first, words.count <= 3 else {
                throw .usage(
                    "'--chart' takes a name, a property and a number, not '\(text)'",
                    hint: "Write it like --chart 'purchase amount' or --chart 'request ms p95'.")
            }
            self.name = name
            value = words.count > 1 ? words[1] : nil
            let measure = words.count > 2 ? try Chart.Measure.parse(words[2]) : nil
            guard measure != .distinct else {
                throw .usage("'--chart' cannot count different values", hint: "'hark chart --distinct' does.")
            }
            self.measure = measure ?? (words.count > 1 ? .sum : .count)
        }
    }

    let chart: Chart
    /// The number of the whole time, and of that before it.
    let total: Double?
    var past: Double?

    /// The name of the number, such as `purchase: sum of amount`.
    var name: String { chart.subject }
}

extension Report {
    /// Adds a number, if the report is about any time at all.
    mutating func add(
        _ wish: ReportMetric.Wish, _ arguments: Arguments, _ connection: inout Connection
    ) throws {
        guard let range else { return }
        var request = try StatisticsRequest(arguments, &connection)
        (request.name, request.value) = (wish.name, wish.value)
        if case .percentile(let percent) = wish.measure { request.percentiles = [percent] }
        let step = TimeStep.fitting(range, atMost: Self.mostBuckets)
        request.step = step
        guard let boundaries = try? step.boundaries(range) else { return }
        let found = try request.ask(&connection, boundaries)
        var metric = ReportMetric(
            chart: Chart(found, wish.measure, step, most: 1), total: Chart.value(of: found.total.all, wish.measure))
        if let past {
            request.set(past.range)
            metric.past = Chart.value(of: try request.ask(&connection, []).total.all, wish.measure)
        }
        metrics.append(metric)
    }
}
