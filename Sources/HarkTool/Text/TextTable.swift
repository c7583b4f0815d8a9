/// A table with columns as wide as their content. The first row is the header.
enum TextTable {
    static func text(_ rows: [[String]], _ style: TextStyle) -> String {
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
