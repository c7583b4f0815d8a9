import HarkAsking

/// A text in rows of a terminal.
extension TextEditor {
    /// Moves so many rows of that width up or down; false, and nothing has changed, if there is no such row.
    mutating func moveRows(_ rows: Int, width: Int) -> Bool {
        let layout = WordWrap.rows(characters, width: width)
        let place = place(in: layout)
        let target = place.row + rows
        guard layout.indices.contains(target) else { return false }
        move(to: index(nearest: place.column, in: layout[target], isLast: target == layout.count - 1))
        return true
    }

    /// The row of a layout in which the cursor is, and the column there.
    func place(in layout: [Range<Int>]) -> (row: Int, column: Int) {
        let row = layout.lastIndex { $0.lowerBound <= cursor } ?? 0
        return (row, characters[layout[row].lowerBound..<cursor].reduce(0) { $0 + TextWidth.of($1) })
    }

    private func index(nearest column: Int, in row: Range<Int>, isLast: Bool) -> Int {
        var used = 0
        for index in row {
            used += TextWidth.of(characters[index])
            if used > column { return index }
        }
        // Behind the last character of a row that was broken is the beginning of the next one.
        let wasBroken = !isLast && row.upperBound < characters.count && !characters[row.upperBound].isNewline
        return wasBroken ? max(row.lowerBound, row.upperBound - 1) : row.upperBound
    }
}
