import HarkClient
import HarkWire

/// A chart for a terminal: a panel of bars or dots for each series, stacked and on the same scale.
///
/// A terminal gets rounded numbers next to the panels, some dates below them, a colour for each series and dim weekends.
/// A pipe gets the ends of both axes.
struct ChartText {
    private let chart: Chart
    private let style: TextStyle
    private let columns: Int
    private let isASCII: Bool
    private let isLine: Bool
    private let isPlain: Bool

    private static let widest = 120
    private static let widestBar = 6
    private static let mostDates = 5

    /// - Parameter isPlain: Whether the chart is for a pipe.
    init(
        _ chart: Chart, _ style: TextStyle, columns: Int, isASCII: Bool, isLine: Bool, isPlain: Bool = true
    ) {
        self.chart = chart
        self.style = style
        self.columns = min(max(columns, 24), Self.widest)
        self.isASCII = isASCII
        self.isLine = isLine
        self.isPlain = isPlain
    }

    /// The value axis: its range, the number of rows, and the labels of rows.
    private var axis: (range: ClosedRange<Double>, height: Int, labels: [Int: String]) {
        let isAlone = chart.series.count == 1
        guard !isPlain else {
            let (range, height) = (chart.range, isAlone ? 10 : 5)
            return (
                range, height, [0: NumberText.make(range.upperBound), height - 1: NumberText.make(range.lowerBound)]
            )
        }
        let scale = ChartScale(chart.range, most: isAlone ? 4 : 2, isWhole: chart.isWhole)
        let rows = isAlone ? 3 : 2
        let height = scale.steps * rows
        var labels = [height - 1: NumberText.make(scale.range.lowerBound)]
        // A number is next to the row that ends at it.
        for (place, number) in scale.numbers.enumerated().dropFirst() {
            labels[height - place * rows] = NumberText.make(number)
        }
        return (scale.range, height, labels)
    }

    var text: String {
        let axis = axis
        let margin = axis.labels.values.map(\.utf8.count).max() ?? 1
        let room = columns - margin - 2
        let buckets = chart.boundaries.count - 1
        let plot = ChartPlot(buckets: buckets, room: room, widestBar: Self.widestBar)
        var lines = isPlain ? [style.bold(chart.title)] : titleLines
        for (number, series) in chart.series.enumerated() {
            let name = series.name.isEmpty ? "" : StyledLine(series.name).clipped(to: columns).text
            lines.append(isPlain || name.isEmpty ? name : style.series(name, number))
            let rows =
                isLine
                ? plot.line(series.values, axis.range, height: axis.height, isASCII: isASCII)
                : plot.bars(series.values, axis.range, height: axis.height, isASCII: isASCII)
            for (place, row) in rows.enumerated() {
                let label = axis.labels[place] ?? ""
                let gap = String(repeating: " ", count: margin - label.utf8.count)
                let drawn = String(row.reversed().drop { $0 == " " }.reversed())
                lines.append(
                    style.dim(gap + label + " " + (isASCII ? "|" : "│"))
                        + (drawn.isEmpty ? "" : isPlain ? style.name(drawn) : coloured(drawn, number, plot)))
            }
        }
        let dates = isPlain ? ends(width: plot.width) : dates(plot)
        lines.append(String(repeating: " ", count: margin + 2) + style.dim(dates))
        if let note = chart.note {
            let text = style.dim(isASCII ? note.replacing("…", with: "...") : note)
            lines += WordWrap.hanging("", text, indent: 2, columns: isPlain ? nil : columns)
        }
        return lines.joined(separator: "\n")
    }

    private var titleLines: [String] {
        WordWrap.hanging("", style.bold(chart.title), indent: 2, columns: columns)
    }

    /// Colours a row by its series, with dim weekends between days that are not.
    private func coloured(_ row: String, _ number: Int, _ plot: ChartPlot) -> String {
        let buckets = chart.boundaries.count - 1
        let isMixed = !isLine && (0..<buckets).contains { !chart.isWeekend($0) }
        var result = ""
        var part = ""
        var isDim = false
        for (column, character) in row.enumerated() {
            let isWeekend = isMixed && chart.isWeekend(plot.bucket(at: column))
            if isWeekend != isDim {
                result += part.isEmpty ? "" : style.series(part, number, isDim: isDim)
                (part, isDim) = ("", isWeekend)
            }
            part.append(character)
        }
        return result + (part.isEmpty ? "" : style.series(part, number, isDim: isDim))
    }

    /// Returns labels of some buckets, each below the beginning of its bucket but for the last.
    private func dates(_ plot: ChartPlot) -> String {
        let buckets = chart.boundaries.count - 1
        let length = chart.label(0).utf8.count
        let most = min(Self.mostDates, buckets, plot.width / (length + 3))
        guard most > 2 else { return ends(width: plot.width) }
        var line = ""
        for place in 0..<most {
            let bucket = place * (buckets - 1) / (most - 1)
            let column = place == most - 1 ? plot.width - length : bucket * plot.width / buckets
            guard column >= line.utf8.count + (place == 0 ? 0 : 1) else { continue }
            line += String(repeating: " ", count: column - line.utf8.count) + chart.label(bucket)
        }
        return line
    }

    /// Returns the labels of the first and the last bucket.
    private func ends(width: Int) -> String {
        let buckets = chart.boundaries.count - 1
        let (first, last) = (chart.label(0), chart.label(buckets - 1))
        guard buckets > 1 else { return first }
        let gap = width - first.utf8.count - last.utf8.count
        if gap >= 1 { return first + String(repeating: " ", count: gap) + last }
        // There is no room to place both at the ends, or the bars are narrower than the first label.
        return first + (isASCII ? " - " : " – ") + last
    }
}
