import HarkClient

/// Destinations, one a line, with a headline.
enum DestinationTable {
    static func text(_ destinations: [JSONText], _ style: Style) -> String {
        var rows = [["destination", "kind", "state", "delivered", "waiting", "last error"]]
        for destination in destinations {
            let error = destination.member("lastError").flatMap { $0.string ?? $0.member("message")?.string }
            rows.append([
                VisibleText.make(destination.member("name")?.string ?? ""),
                VisibleText.make(destination.member("kind")?.string ?? ""),
                VisibleText.make(destination.member("state")?.string ?? ""),
                destination.member("delivered")?.int.map { Plural.grouped($0) } ?? "-",
                destination.member("pending")?.int.map { Plural.grouped($0) } ?? "-",
                error.map { VisibleText.make($0) } ?? "",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let line = row.indices.map { column in
                column == row.count - 1 ? row[column] : TextWidth.padded(row[column], widths[column])
            }.joined(separator: "  ")
            let trimmed = String(line.reversed().drop { $0 == " " }.reversed())
            return index == 0 ? style.dim(trimmed) : trimmed
        }.joined(separator: "\n")
    }
}
