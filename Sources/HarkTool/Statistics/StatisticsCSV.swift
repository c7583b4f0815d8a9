import HarkClient
import HarkWire

/// Statistics as CSV: a row for each group, or for each group and time bucket, including empty ones.
enum StatisticsCSV {
    static func text(_ statistics: Statistics, _ table: CSVTable) -> String {
        let request = statistics.request
        var names = (statistics.boundaries.isEmpty ? [] : ["from", "to"]) + request.by.map(table.text) + ["count"]
        if request.value != nil {
            names +=
                ["numbers", "sum", "mean", "min"] + request.percentiles.map { "p" + NumberText.make($0) } + ["max"]
        }
        if request.distinct != nil { names.append("distinct") }
        var groups = request.by.isEmpty ? [statistics.total] : statistics.groups
        // The rest has empty group fields, like a group without a value.
        if !request.by.isEmpty, let rest = statistics.rest { groups.append(rest) }
        var rows = [names]
        for group in groups {
            let by = request.by.indices.map { place in
                place < group.by.count ? group.by[place].map { $0.string.map(table.text) ?? $0.text } ?? "" : ""
            }
            guard !statistics.boundaries.isEmpty else {
                rows.append(by + fields(group.all, request))
                continue
            }
            for (bucket, (from, to)) in zip(statistics.boundaries, statistics.boundaries.dropFirst()).enumerated() {
                rows.append([LocalTime.iso(from), LocalTime.iso(to)] + by + fields(group.buckets[bucket], request))
            }
        }
        return table.lines(rows)
    }

    private static func fields(_ cell: Statistics.Cell?, _ request: StatisticsRequest) -> [String] {
        func text(_ value: JSONText?) -> String { value.flatMap { $0.isNull ? nil : $0.text } ?? "" }
        var fields = [String(cell?.count ?? 0)]
        if request.value != nil {
            fields += [String(cell?.numbers ?? 0), text(cell?.sum), cell?.mean.map { "\($0)" } ?? "", text(cell?.min)]
            for place in request.percentiles.indices {
                let values = cell?.percentiles ?? []
                fields.append(place < values.count ? text(values[place]) : "")
            }
            fields.append(text(cell?.max))
        }
        if request.distinct != nil { fields.append(String(cell?.distinct ?? 0)) }
        return fields
    }
}
