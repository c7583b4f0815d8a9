import HarkAsking
import HarkClient
import HarkWire

/// A report as one page of HTML. It has no script and fetches nothing, and recorded texts never become markup.
struct ReportPage {
    let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
        <meta name="referrer" content="no-referrer">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(Markup.escaped(title))</title>
        <style>
        \(ChartSVG.rules)
        \(Self.style)
        </style>
        </head>
        <body>
        <main>
        \(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var parts: [String] {
        [heading, metrics, events, troubles, logs, sessions, surveys, studies, texts, deliveries]
    }

    private var title: String {
        (report.title ?? "Hark report: \(report.machine)") + (span.map { ", \($0)" } ?? "")
    }

    /// `2026-11-01 to 2026-11-14`; with the time of day within a day.
    private var span: String? {
        report.range.map { Self.span($0.lowerBound, $0.upperBound) }
    }

    private static func span(_ start: Timestamp, _ end: Timestamp) -> String {
        let (from, until) = (LocalTime.text(start), LocalTime.text(end))
        if from.prefix(16) == until.prefix(16) { return String(from.prefix(16)) }
        let isDay = from.prefix(10) == until.prefix(10)
        return isDay
            ? "\(from.prefix(16)) to \(until.dropFirst(11).prefix(5))" : "\(from.prefix(10)) to \(until.prefix(10))"
    }

    private var heading: String {
        let made = LocalTime.text(report.made).prefix(16)
        let filters = report.filters.map { "<li>only \($0) \(Markup.recorded($1))</li>" }
        return """
            <header>
            \(ReportIcon.svg)
            <h1>\(Markup.recorded(report.title ?? report.machine))</h1>
            <p>\(span.map { "\($0)<br>" } ?? "")<span class="soft">Hark report, made \(made) \(LocalTime.zone(report.made)) \
            from \(Markup.escaped(report.daemon))\(report.title == nil ? "" : " on \(Markup.recorded(report.machine))")</span></p>
            \(filters.isEmpty ? "" : "<ul>\(filters.joined())</ul>")
            <dl class="tiles">
            \(tiles.map(tile).joined(separator: "\n"))
            </dl>
            \(pastNote)
            </header>
            """
    }

    /// A number with its name, and its change.
    private struct Tile {
        let name: String
        let number: String
        var change: String?

        init(_ name: String, _ number: String, _ change: String? = nil) {
            (self.name, self.number, self.change) = (name, number, change)
        }
    }

    private func tile(_ tile: Tile) -> String {
        let change = tile.change.map { " <span class=\"change\">\($0)</span>" } ?? ""
        return "<div><dt>\(tile.name)</dt><dd>\(tile.number)\(change)</dd></div>"
    }

    /// The start of the time to compare with.
    private var pastNote: String {
        guard let past = report.past else { return "" }
        let span = Self.span(past.range.lowerBound, past.range.upperBound.adding(milliseconds: -1))
        return paragraph("▲ and ▼: the change since the time of the same length before, \(span).")
    }

    private var tiles: [Tile] {
        let past = report.past
        func change(_ now: Int64?, _ before: Int64?) -> String? {
            ReportChange.text(now.map { Double($0) }, before.map { Double($0) })
        }
        let total = report.times?.total.all
        let users = total?.distinct.map { (total?.isDistinctExact == true ? "" : "~") + Plural.grouped($0) } ?? "0"
        let sessions = report.sessions
        let areSessionsWhole = !sessions.isCut && past?.sessions.isCut == false
        let answered = report.surveys.reduce(0) { $0 + $1.answered }
        let count = report.names.total.all.count
        return report.metrics.map { metric in
            Tile(
                Markup.escaped(Markup.shortened(metric.name)), NumberText.make(metric.total),
                ReportChange.text(metric.total, metric.past))
        } + [
            Tile("Events", Plural.grouped(count), change(count, past?.events)),
            Tile(
                "Kinds of events", Plural.grouped(report.names.groupCount),
                change(report.names.groupCount, past?.names)),
            Tile(
                "Users with events", report.range != nil && total == nil ? "–" : users,
                change(total?.distinct, past?.users)),
            Tile(
                "Sessions", Plural.grouped(sessions.all.sessions) + (sessions.isCut ? "+" : ""),
                areSessionsWhole
                    ? change(Int64(sessions.all.sessions), past.map { Int64($0.sessions.all.sessions) }) : nil
            ),
            Tile(
                "Answered surveys", Plural.grouped(answered), change(Int64(answered), past.map { Int64($0.answered) })),
        ]
    }

    /// The requested numbers, over time.
    private var metrics: String {
        report.metrics.map { metric in
            section(
                Markup.escaped(Markup.shortened(metric.name)) + ", \(metric.chart.step.words)",
                [drawing(metric.chart), numbers(metric.chart)])
        }.joined(separator: "\n")
    }

    // MARK: Parts

    /// A part with a headline.
    func section(_ title: String, _ parts: [String]) -> String {
        "<section>\n<h2>\(title)</h2>\n\(parts.filter { !$0.isEmpty }.joined(separator: "\n"))\n</section>"
    }

    func paragraph(_ text: String) -> String { "<p class=\"soft\">\(text)</p>" }

    /// A table. `columns` that begin with `#` are numbers, with `~` sentences, and one without a name bars. Caption and cells
    /// are markup.
    ///
    /// - Parameter label: the caption as text, where it is not.
    func table(_ caption: String, label: String? = nil, _ columns: [String], _ rows: [[String]]) -> String {
        func kind(_ place: Int) -> String {
            switch columns[place].first {
            case "#": " class=\"number\""
            case "~": " class=\"words\""
            case nil: " class=\"bars\""
            default: ""
            }
        }
        let head = columns.indices.map { place in
            "<th scope=\"col\"\(kind(place))>\(columns[place].drop { $0 == "#" || $0 == "~" })</th>"
        }
        let body = rows.map { row in
            let cells = row.indices.map { place in
                place == 0 ? "<th scope=\"row\">\(row[place])</th>" : "<td\(kind(place))>\(row[place])</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        // On a phone each bar is below its label.
        let isBarred = columns.count >= 4 && columns.last == ""
        return """
            <div class="scroll" role="region" aria-label="\(label ?? caption)" tabindex="0">
            <table\(isBarred ? " class=\"barred\"" : "")>
            <caption>\(caption)</caption>
            <thead><tr>\(head.joined())</tr></thead>
            <tbody>
            \(body.joined(separator: "\n"))
            </tbody>
            </table>
            </div>
            """
    }

    /// A bar with a part of the width, from 0 to 1, and over it a line from one share to another.
    func bar(_ share: Double, _ interval: WilsonInterval? = nil) -> String {
        let line = interval.map {
            "<span class=\"reach\" style=\"left:\(percent($0.low));width:\(percent($0.high - $0.low))\"></span>"
        }
        return
            "<span class=\"track\" aria-hidden=\"true\"><span class=\"fill\" style=\"width:\(percent(share))\"></span>"
            + (line ?? "") + "</span>"
    }

    /// `12.3%`, as style sheets have it.
    private func percent(_ share: Double) -> String { DurationText.decimal(min(max(share, 0), 1) * 100) + "%" }

    /// `41 %`; below one percent, that it is not nothing.
    func share(_ part: some BinaryInteger, of whole: some BinaryInteger) -> String {
        guard whole > 0 else { return "–" }
        let percent = Double(part) * 100 / Double(whole)
        return percent > 0 && percent < 0.5 ? "&lt; 1 %" : "\(Int(percent.rounded())) %"
    }
}
