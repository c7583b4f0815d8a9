import HarkClient
import HarkWire

/// A chart for a terminal: a panel of bars or dots for each series, stacked and on the same scale.
struct ChartText {
    private let chart: Chart
    private let style: TextStyle
    private let columns: Int
    private let isASCII: Bool
    private let isLine: Bool

    private static let widest = 120
    private static let widestBar = 6

    init(_ chart: Chart, _ style: TextStyle, columns: Int, isASCII: Bool, isLine: Bool) {
        self.chart = chart
        self.style = style
        self.columns = min(max(columns, 24), Self.widest)
        self.isASCII = isASCII
        self.isLine = isLine
    }

    var text: String {
        let range = chart.range
        let labels = [NumberText.make(range.upperBound), NumberText.make(range.lowerBound)]
        let margin = labels.map(\.utf8.count).max() ?? 1
        let room = columns - margin - 2
        let buckets = chart.boundaries.count - 1
        let plot = ChartPlot(buckets: buckets, room: room, widestBar: Self.widestBar)
        let height = chart.series.count == 1 ? 10 : 5
        var lines = [style.bold(chart.title)]
        for series in chart.series {
            lines.append(series.name.isEmpty ? "" : StyledLine(series.name).clipped(to: columns).text)
            let rows =
                isLine
                ? plot.line(series.values, range, height: height, isASCII: isASCII)
                : plot.bars(series.values, range, height: height, isASCII: isASCII)
            for (place, row) in rows.enumerated() {
                let label = place == 0 ? labels[0] : place == rows.count - 1 ? labels[1] : ""
                let gap = String(repeating: " ", count: margin - label.utf8.count)
                let drawn = String(row.reversed().drop { $0 == " " }.reversed())
                lines.append(
                    style.dim(gap + label + " " + (isASCII ? "|" : "│")) + (drawn.isEmpty ? "" : style.name(drawn)))
            }
        }
        lines.append(String(repeating: " ", count: margin + 2) + style.dim(axis(width: plot.width)))
        if let note = chart.note { lines.append(style.dim(isASCII ? note.replacing("…", with: "...") : note)) }
        return lines.joined(separator: "\n")
    }

    /// Returns the labels of the first and the last bucket.
    private func axis(width: Int) -> String {
        let buckets = chart.boundaries.count - 1
        let (first, last) = (chart.label(0), chart.label(buckets - 1))
        guard buckets > 1 else { return first }
        let gap = width - first.utf8.count - last.utf8.count
        if gap >= 1 { return first + String(repeating: " ", count: gap) + last }
        // There is no room to place both at the ends, or the bars are narrower than the first label.
        return first + (isASCII ? " - " : " – ") + last
    }
}
