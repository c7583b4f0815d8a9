import HarkAsking
import HarkClient
import HarkWire

extension ReportPage {
    /// Events over time, and by name.
    var events: String {
        let total = report.names.total.all.count
        guard total > 0 else { return section("Events", [paragraph("There are no such events.")]) }
        guard let chart = report.chart else {
            let words = "They reach over too long a time to be drawn; <code>--since</code> takes the last part of it."
            return section("Events", [paragraph(words), names])
        }
        return section("Events \(chart.step.words)", [drawing(chart), numbers(chart), names])
    }

    /// Draws a wide chart for screens and paper and a narrow one for phones; the style shows one of them.
    private func drawing(_ chart: Chart) -> String {
        "<figure>"
            + ChartSVG(chart, isLine: false, place: .page(width: 960, name: "wide")).text
            + ChartSVG(chart, isLine: false, place: .page(width: 360, name: "narrow")).text
            + "</figure>"
    }

    private func numbers(_ chart: Chart) -> String {
        let values = chart.series.first?.values ?? []
        let rows = values.indices.map { [chart.label($0), NumberText.make(values[$0])] }
        return "<details><summary>As numbers</summary>\(table("Events \(chart.step.words)", ["From", "#Events"], rows))"
            + "</details>"
    }

    private var names: String {
        let total = report.names.total.all.count
        let shown = report.names.groups.prefix(Report.mostNames)
        let most = max(shown.first?.all.count ?? 0, 1)
        let rows = shown.map { group in
            let name = group.by.first.flatMap { $0?.string } ?? "-"
            return [
                Markup.recorded(name), Plural.grouped(group.all.count), share(group.all.count, of: total),
                bar(Double(group.all.count) / Double(most)),
            ]
        }
        return table("Events by name", ["Name", "#Events", "#Share", ""], rows) + othersOfNames(shown)
    }

    private func othersOfNames(_ shown: ArraySlice<Statistics.Group>) -> String {
        let left = report.names.total.all.count - shown.reduce(0) { $0 + $1.all.count }
        guard left > 0 else { return "" }
        let names = report.names.groupCount - Int64(shown.count)
        let more = report.names.rest == nil ? "" : "more than "
        return "\n" + paragraph("and \(more)\(Plural.count(names, "other name")) with \(Plural.count(left, "event"))")
    }
}
