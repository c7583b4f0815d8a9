/// Breaks a text into rows of a terminal, between words where it can.
enum WordWrap {
    /// The rows, as ranges of `characters`; together they hold every character but the line ends.
    ///
    /// White space at which a row is broken stays at its end, where it may stick out. A word wider than a row is broken
    /// anywhere, and so are wide letters, which need no space between words.
    static func rows(_ characters: [Character], width: Int) -> [Range<Int>] {
        var rows: [Range<Int>] = []
        var start = 0
        /// Where the row can be broken, as the beginning of the next one.
        var breakAt: Int?
        var used = 0
        for (index, character) in characters.enumerated() {
            if character.isNewline {
                rows.append(start..<index)
                (start, breakAt, used) = (index + 1, nil, 0)
                continue
            }
            let columns = TextWidth.of(character)
            if character.isWhitespace {
                breakAt = index + 1
                used += columns
                continue
            }
            if columns == 2 { breakAt = index }
            if used + columns > width, index > start {
                let next = breakAt.map { $0 > start ? $0 : index } ?? index
                rows.append(start..<next)
                start = next
                breakAt = nil
                used = characters[next..<index].reduce(0) { $0 + TextWidth.of($1) }
            }
            used += columns
            if columns == 2 { breakAt = index + 1 }
        }
        rows.append(start..<characters.count)
        return rows
    }

    /// The rows of a text to read, without the white space at their ends.
    static func lines(_ text: String, width: Int) -> [String] {
        let characters = Array(text)
        return rows(characters, width: width).map { row in
            let end = characters[row].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? row.lowerBound
            return String(characters[row.lowerBound..<end])
        }
    }
}
