/// Wraps a text into terminal rows, between words if possible.
enum WordWrap {
    /// Returns the rows as ranges of `characters`, which together contain everything but line ends.
    ///
    /// White space at the end of a row stays there and may exceed the width. A word longer than a row is broken
    /// anywhere, and so are wide letters, which need no space between words.
    static func rows(_ characters: [Character], width: Int) -> [Range<Int>] {
        var rows: [Range<Int>] = []
        var start = 0
        /// The start of the next row, if this one is broken.
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

    /// Returns the rows of a text without trailing white space.
    static func lines(_ text: String, width: Int) -> [String] {
        let characters = Array(text)
        return rows(characters, width: width).map { row in
            let end = characters[row].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? row.lowerBound
            return String(characters[row.lowerBound..<end])
        }
    }
}
