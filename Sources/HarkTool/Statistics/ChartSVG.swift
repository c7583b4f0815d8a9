import HarkClient
import HarkWire

/// A chart as an SVG: one file without scripts, in the light or dark colours that the reader prefers.
struct ChartSVG {
    /// The place where the SVG is shown.
    enum Place: Equatable {
        /// A file of its own.
        case file
        /// In a page that includes `rules` in its style and has its own heading. The width is in points.
        case page(width: Double, name: String)
    }

    private let chart: Chart
    private let isLine: Bool
    private let place: Place
    private let scale: ChartScale
    /// Whether bars of weekends are paler, as there are other days.
    private let showsWeekends: Bool
    private let width: Double
    private let panel: (top: Double, height: Double, gap: Double)
    private let margin: (left: Double, right: Double, top: Double, bottom: Double)

    init(_ chart: Chart, isLine: Bool, place: Place = .file) {
        self.chart = chart
        self.isLine = isLine
        self.place = place
        scale = ChartScale(chart.range, most: 4, isWhole: chart.isWhole)
        let isMixed = (0..<max(0, chart.boundaries.count - 1)).contains { !chart.isWeekend($0) }
        showsWeekends = isMixed && !isLine
        switch place {
        case .file:
            width = 960
            panel = (28, 150, 22)
            margin = (84, 20, 44, 34)
        case .page(let width, _):
            self.width = width
            panel = (12, 150, 22)
            margin = (64, 8, 0, 24)
        }
    }

    /// The style of its parts. Dark only on screens whose user prefers that, never on paper.
    static let rules = """
        svg { background: #ffffff; color: #1a1a1a; font: 13px system-ui, sans-serif }
        text { fill: currentColor } .title { font-size: 17px; font-weight: 600 } .dim { fill: #6b6b6b }
        .axis { stroke: #d0d0d0; stroke-width: 1 } .bar, .dot { fill: #3466c2 } .weekend { opacity: .6 }
        .line { fill: none; stroke: #3466c2; stroke-width: 2; stroke-linejoin: round }
        .s1 { fill: #b35900 } .s2 { fill: #7a3fb0 } .s3 { fill: #1d7a3a } .s4 { fill: #b0306a }
        .line.s1 { stroke: #b35900 } .line.s2 { stroke: #7a3fb0 } .line.s3 { stroke: #1d7a3a } .line.s4 { stroke: #b0306a }
        path.line { fill: none }
        @media screen and (prefers-color-scheme: dark) {
        svg { background: #1c1c1e; color: #f0f0f0 } .dim { fill: #a0a0a0 } .axis { stroke: #48484a }
        .bar, .dot { fill: #78a9ff } .line { stroke: #78a9ff }
        .s1 { fill: #ffb454 } .s2 { fill: #c99bff } .s3 { fill: #6fd08c } .s4 { fill: #ff8fc0 }
        .line.s1 { stroke: #ffb454 } .line.s2 { stroke: #c99bff } .line.s3 { stroke: #6fd08c } .line.s4 { stroke: #ff8fc0 }
        }
        """

    var text: String {
        let height = margin.top + Double(chart.series.count) * (panel.top + panel.height + panel.gap) + margin.bottom
        let title = Markup.escaped(chart.title)
        var parts: [String] = []
        switch place {
        case .file:
            parts = [
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(width)) \(number(height))" \
                width="\(number(width))" height="\(number(height))" role="img" aria-label="\(title)">
                <style>
                \(Self.rules)
                </style>
                <text class="title" x="\(number(margin.left))" y="28">\(title)</text>
                """
            ]
        case .page(_, let name):
            parts = [
                """
                <svg class="\(name)" viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-label="\(title)">
                <title>\(title)</title>
                <desc>\(description)</desc>
                """
            ]
        }
        var top = margin.top
        for (number, series) in chart.series.enumerated() {
            parts += draw(series, colour: number % 5, top)
            top += panel.top + panel.height + panel.gap
        }
        return parts.joined(separator: "\n") + "\n" + times(top) + "\n</svg>\n"
    }

    /// A sentence that describes the chart.
    private var description: String {
        guard let first = chart.boundaries.first, buckets > 0 else { return "" }
        var words = "From \(chart.step.label(first)) to \(chart.label(buckets - 1))"
        let values = chart.series.first?.values ?? []
        let most = values.indices.filter { values[$0] != nil }.max { (values[$0] ?? 0) < (values[$1] ?? 0) }
        if chart.series.count == 1, let most, let value = values[most] {
            words += "; the most, \(NumberText.make(value)), in \(chart.label(most))"
        }
        return Markup.escaped(words)
    }

    private var plotWidth: Double { width - margin.left - margin.right }
    private var buckets: Int { chart.boundaries.count - 1 }

    private func draw(_ series: Chart.Series, colour: Int, _ top: Double) -> [String] {
        let range = scale.range
        let low = top + panel.top + panel.height
        func y(_ value: Double) -> Double {
            low - (value - range.lowerBound) / (range.upperBound - range.lowerBound) * panel.height
        }
        var parts: [String] = []
        if !series.name.isEmpty {
            parts.append(
                #"<text x="\#(number(margin.left))" y="\#(number(top + 18))">\#(Markup.escaped(series.name))</text>"#)
        }
        for value in scale.numbers.reversed() {
            parts.append(
                """
                <line class="axis" x1="\(number(margin.left))" x2="\(number(width - margin.right))" \
                y1="\(number(y(value)))" y2="\(number(y(value)))"/>
                <text class="dim" text-anchor="end" x="\(number(margin.left - 8))" \
                y="\(number(y(value) + 4))">\(NumberText.make(value))</text>
                """)
        }
        return parts + (isLine ? line(series, colour, y) : bars(series, colour, y))
    }

    private func bars(_ series: Chart.Series, _ colour: Int, _ y: (Double) -> Double) -> [String] {
        let share = plotWidth / Double(buckets)
        let base = y(min(max(0, scale.range.lowerBound), scale.range.upperBound))
        return series.values.enumerated().compactMap { bucket, value in
            guard let value, value.isFinite, value != 0 else { return nil }
            let (top, low) = (min(y(value), base), max(y(value), base))
            let x = margin.left + Double(bucket) * share
            return """
                <rect class="bar\(names(colour, bucket))" x="\(number(x + share * 0.08))" y="\(number(top))" width="\(number(share * 0.84))" \
                height="\(number(max(low - top, 0.5)))"><title>\(told(bucket, value))</title></rect>
                """
        }
    }

    private func line(_ series: Chart.Series, _ colour: Int, _ y: (Double) -> Double) -> [String] {
        let share = plotWidth / Double(buckets)
        var path = ""
        var parts: [String] = []
        var isDrawing = false
        for (bucket, value) in series.values.enumerated() {
            guard let value, value.isFinite else {
                isDrawing = false
                continue
            }
            let x = margin.left + (Double(bucket) + 0.5) * share
            path += "\(isDrawing ? "L" : "M")\(number(x)) \(number(y(value)))"
            isDrawing = true
            parts.append(
                """
                <circle class="dot\(names(colour))" cx="\(number(x))" cy="\(number(y(value)))" r="2.5"><title>\(told(bucket, value))\
                </title></circle>
                """)
        }
        return path.isEmpty ? parts : [#"<path class="line\#(names(colour))" d="\#(path)"/>"#] + parts
    }

    /// The further classes of a mark.
    private func names(_ colour: Int, _ bucket: Int? = nil) -> String {
        (colour == 0 ? "" : " s\(colour)") + (showsWeekends && bucket.map(chart.isWeekend) == true ? " weekend" : "")
    }

    private func told(_ bucket: Int, _ value: Double) -> String {
        Markup.escaped(chart.label(bucket)) + ": " + NumberText.make(value)
    }

    private func times(_ low: Double) -> String {
        // As many labels as fit, up to five.
        let most = max(2, min(5, buckets, Int(plotWidth) / (chart.label(0).utf8.count * 8 + 30)))
        let places = buckets == 1 ? [0] : (0..<most).map { $0 * (buckets - 1) / (most - 1) }
        return places.map { bucket in
            let anchor = bucket == 0 ? "start" : bucket == buckets - 1 ? "end" : "middle"
            let part = bucket == 0 ? 0 : bucket == buckets - 1 ? 1 : (Double(bucket) + 0.5) / Double(buckets)
            return """
                <text class="dim" text-anchor="\(anchor)" x="\(number(margin.left + part * plotWidth))" \
                y="\(number(low + 8))">\(Markup.escaped(chart.label(bucket)))</text>
                """
        }.joined(separator: "\n")
    }

    /// Formats with two decimals, as smaller differences are invisible.
    private func number(_ value: Double) -> String {
        let hundredths = Int((min(max(value, -1e9), 1e9) * 100).rounded())
        let (whole, part) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        return (hundredths < 0 ? "-" : "") + "\(whole)" + (part == 0 ? "" : part < 10 ? ".0\(part)" : ".\(part)")
    }
}
