import HarkAsking

/// A text in rows of a terminal.
extension TextEditor {
    /// Moves the cursor by rows. Returns false, without a change, if there is no such row.
    mutating func moveRows(_ rows: Int, width: Int) -> Bool {
        let layout = WordWrap.rows(characters, width: width)
        let place = place(in: layout)
        let target = place.row + rows
        guard layout.indices.contains(target) else { return false }
        move(to: index(nearest: place.column, in: layout[target], isLast: target == layout.count - 1))
        return true
    }

    /// Returns the row and column of the cursor in a layout.
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
        // After the last character of a wrapped row comes the beginning of the next row.
        let wasBroken = !isLast && row.upperBound < characters.count && !characters[row.upperBound].isNewline
        return wasBroken ? max(row.lowerBound, row.upperBound - 1) : row.upperBound
    }
}
