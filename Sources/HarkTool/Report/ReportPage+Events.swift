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
            return section("Events", [paragraph(words), names, hours])
        }
        return section("Events \(chart.step.words)", [drawing(chart), numbers(chart), names, hours])
    }

    /// When in the week events come: a row for each weekday, a cell for each hour.
    private var hours: String {
        guard let grid = report.hours else { return "" }
        let most = grid.counts.joined().max() ?? 0
        guard most > 0 else { return "" }
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let head = (0..<24).map { hour in
            "<th scope=\"col\">" + (hour % 6 == 0 ? "\(hour)" : "<span class=\"unseen\">\(hour)</span>") + "</th>"
        }
        let rows = zip(days, grid.counts).map { day, counts in
            let cells = counts.enumerated().map { hour, count in
                let number = Plural.grouped(count)
                // Of the square root, so that one full hour does not make all others look empty.
                let depth = DurationText.decimal((Double(count) / Double(most)).squareRoot() * 100)
                return
                    "<td title=\"\(day) \(hour):00: \(number)\"><span class=\"heat\" style=\"opacity:\(depth)%\"></span>"
                    + "<span class=\"unseen\">\(number)</span></td>"
            }
            return "<tr><th scope=\"row\">\(day)</th>\(cells.joined())</tr>"
        }
        return """
            <table class="hours">
            <caption>Events by weekday and hour (\(LocalTime.zone(report.made))); the fullest hour has \(Plural.grouped(most))</caption>
            <thead><tr><th scope="col"><span class="unseen">Day</span></th>\(head.joined())</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            """
    }

    /// Draws a wide chart for screens and paper and a narrow one for phones; the style shows one of them.
    func drawing(_ chart: Chart) -> String {
        "<figure>"
            + ChartSVG(chart, isLine: false, place: .page(width: 960, name: "wide")).text
            + ChartSVG(chart, isLine: false, place: .page(width: 360, name: "narrow")).text
            + "</figure>"
    }

    func numbers(_ chart: Chart) -> String {
        // A title of its own would be markup and text in one.
        let name = Markup.escaped(Markup.shortened(chart.subject))
        let heading = chart.measure == .count && chart.subject == "events" ? "#Events" : "#" + name
        let values = chart.series.first?.values ?? []
        let rows = values.indices.map { [chart.label($0), NumberText.make(values[$0])] }
        return
            "<details><summary>As numbers</summary>\(table("\(chart.subject == "events" ? "Events" : name) \(chart.step.words)", ["From", heading], rows))"
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
