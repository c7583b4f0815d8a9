/// A table with columns as wide as their content. The first row is the header.
enum TextTable {
    /// The indent of what follows in further lines, where the terminal is narrower than the columns.
    private static let indent = 4

    /// - Parameter columns: The width of the terminal, to which rows are wrapped; nil for one line each.
    static func text(_ rows: [[String]], _ style: TextStyle, columns: Int? = nil) -> String {
        let widths = rows[0].indices.map { column in rows.map { TextWidth.of($0[column]) }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let head = row.indices.dropLast().map { TextWidth.padded(row[$0], widths[$0]) + "  " }.joined()
            let last = row.last ?? ""
            let isCut = columns.map { TextWidth.of(head) > $0 } ?? false
            let lines =
                isCut
                ? WordWrap.hanging("", head + last, indent: indent, columns: columns)
                : WordWrap.hanging(head, last, columns: columns)
            return lines.map { line in
                let trimmed = String(line.reversed().drop { $0 == " " }.reversed())
                return index == 0 ? style.dim(trimmed) : trimmed
            }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
