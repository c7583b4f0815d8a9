import HarkAsking
import HarkClient
import HarkWire

/// Statistics for people: a row for each group and bucket, right-aligned numbers, and a bar for the number of events.
struct StatisticsTable {
    private let statistics: Statistics
    private let style: TextStyle
    private let columns: Int
    /// Whether notes are wrapped; not in a pipe.
    private let wraps: Bool
    private let limit: Int

    private static let widestLabel = 32
    private static let widestBar = 40

    /// - Parameter limit: The maximum number of groups to show.
    init(_ statistics: Statistics, _ style: TextStyle, columns: Int, limit: Int, wraps: Bool = false) {
        self.wraps = wraps
        self.statistics = statistics
        self.style = style
        self.columns = max(columns, 20)
        self.limit = limit
    }

    private struct Row {
        var labels: [String]
        let cell: Statistics.Cell?
    }

    var text: String {
        var rows = self.rows
        let names = labelNames
        let empty = ["0"] + numberNames.dropFirst().map { _ in "-" }
        var numbers = [numberNames] + rows.map { $0.cell.map { self.numbers($0) } ?? empty }
        let missing = narrow(&numbers)
        let numberWidths = numbers[0].indices.map { place in numbers.map { TextWidth.of($0[place]) }.max() ?? 0 }
        let used = numberWidths.reduce(0) { $0 + $1 + 2 }
        let room = max(8, columns - used) / max(1, names.count) - 2
        for place in rows.indices { rows[place].labels = rows[place].labels.map { clipped($0, to: max(6, room)) } }
        let labelWidths = names.indices.map { place in
            ([names[place]] + rows.map { $0.labels[place] }).map(TextWidth.of).max() ?? 0
        }
        let left = columns - labelWidths.reduce(0) { $0 + $1 + 2 } - used
        let most = rows.compactMap { $0.cell?.count }.max() ?? 0
        var lines = [style.dim(line(names, numbers[0], labelWidths, numberWidths))]
        for (place, row) in rows.enumerated() {
            var line = line(row.labels, numbers[place + 1], labelWidths, numberWidths)
            if left >= 6, rows.count > 1, most > 0 {
                let bar = ResultsText.bar(row.cell?.count ?? 0, of: most, min(left, Self.widestBar))
                if !bar.isEmpty { line += "  " + style.name(bar) }
            }
            lines.append(line)
        }
        if !missing.isEmpty {
            lines.append(note("without \(missing.joined(separator: ", ")), as the terminal has too few columns"))
        }
        return (lines + notes).joined(separator: "\n")
    }

    /// Removes columns that do not fit, the least useful first. Returns the names of those removed.
    private func narrow(_ numbers: inout [[String]]) -> [String] {
        let labels = labelNames.reduce(0) { $0 + max(8, TextWidth.of($1)) + 2 }
        var missing: [String] = []
        let order = ["min", "max"] + statistics.request.percentiles.map { "p" + NumberText.make($0) } + ["mean"]
        for name in order {
            let widths = numbers[0].indices.map { place in numbers.map { TextWidth.of($0[place]) }.max() ?? 0 }
            guard labels + widths.reduce(0, { $0 + $1 + 2 }) - 2 > columns else { break }
            guard let place = numbers[0].firstIndex(of: name) else { continue }
            for row in numbers.indices { numbers[row].remove(at: place) }
            missing.append(name)
        }
        return missing
    }

    private func line(_ labels: [String], _ numbers: [String], _ labelWidths: [Int], _ numberWidths: [Int]) -> String {
        let texts = zip(labels, labelWidths).map { TextWidth.padded($0, $1) }
        let right = zip(numbers, numberWidths).map { String(repeating: " ", count: max(0, $1 - TextWidth.of($0))) + $0 }
        return (texts + right).joined(separator: "  ")
    }

    private var labelNames: [String] {
        (statistics.boundaries.isEmpty ? [] : ["time"]) + statistics.request.by.map { VisibleText.make($0) }
    }

    private var rows: [Row] {
        let shown = statistics.groups.prefix(limit)
        guard let step = statistics.request.step, statistics.boundaries.count > 1 else {
            if statistics.request.by.isEmpty { return [Row(labels: [], cell: statistics.total.all)] }
            return shown.map { Row(labels: labels($0), cell: $0.all) }
        }
        return (0..<statistics.boundaries.count - 1).flatMap { bucket in
            let time = step.label(statistics.boundaries[bucket])
            if statistics.request.by.isEmpty { return [Row(labels: [time], cell: statistics.total.buckets[bucket])] }
            let rows = shown.compactMap { group in
                group.buckets[bucket].map { Row(labels: [time] + labels(group), cell: $0) }
            }
            // An empty bucket has a row too.
            return rows.isEmpty ? [Row(labels: [time] + statistics.request.by.map { _ in "-" }, cell: nil)] : rows
        }
    }

    private func labels(_ group: Statistics.Group) -> [String] { group.by.map(StatisticsTable.label) }

    /// Returns a group's value, or `-` if it has none.
    static func label(_ value: JSONText?) -> String {
        value.map(ScalarText.shown) ?? "-"
    }

    private func clipped(_ text: String, to room: Int) -> String {
        let widest = min(Self.widestLabel, room)
        return TextWidth.of(text) > widest ? StyledLine(text).clipped(to: widest - 1).text + "…" : text
    }

    private var numberNames: [String] {
        var names = ["count"]
        if statistics.request.value != nil {
            names +=
                ["sum", "mean", "min"] + statistics.request.percentiles.map { "p" + NumberText.make($0) } + ["max"]
        }
        if let distinct = statistics.request.distinct { names.append("distinct \(VisibleText.make(distinct))") }
        return names
    }

    private func numbers(_ cell: Statistics.Cell) -> [String] {
        var numbers = [Plural.grouped(cell.count)]
        if statistics.request.value != nil {
            numbers += [NumberText.make(cell.sum), NumberText.make(cell.mean), NumberText.make(cell.min)]
            numbers += cell.percentiles.map { NumberText.make($0) } + [NumberText.make(cell.max)]
        }
        if let distinct = cell.distinct { numbers.append((cell.isDistinctExact ? "" : "~") + Plural.grouped(distinct)) }
        return numbers
    }

    /// Notes on what the table leaves out.
    private var notes: [String] {
        guard !statistics.request.by.isEmpty else { return [] }
        var notes: [String] = []
        let shown = statistics.groups.prefix(limit)
        let hidden = statistics.groupCount - Int64(shown.count)
        if hidden > 0 {
            let events =
                shown.reduce(statistics.total.all.count) { $0 - $1.all.count } - (statistics.rest?.all.count ?? 0)
            notes.append(
                "… and \(Plural.count(hidden, "more group")), with \(Plural.count(events, "event")): --limit N")
        }
        if let rest = statistics.rest {
            notes.append(
                "\(Plural.count(rest.all.count, "event")) more in groups that there was no room to tell apart; ask for less "
                    + "with --where, or group otherwise")
        }
        return notes.map(note)
    }

    private func note(_ text: String) -> String {
        WordWrap.hanging("", style.dim(text), indent: 2, columns: wraps ? columns : nil).joined(separator: "\n")
    }
}
