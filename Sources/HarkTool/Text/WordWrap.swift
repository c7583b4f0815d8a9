/// Wraps a text into terminal rows, between words if possible.
enum WordWrap {
    /// Returns the rows as ranges of `characters`, which together contain everything but line ends.
    ///
    /// White space at the end of a row stays there and may exceed the width. A word longer than a row is broken
    /// anywhere, and so are wide letters, which need no space between words.
    ///
    /// - Parameter rest: The width of all rows but the first; nil for the same.
    static func rows(_ characters: [Character], width: Int, rest: Int? = nil) -> [Range<Int>] {
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
            if used + columns > (rows.isEmpty ? width : rest ?? width), index > start {
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
        return rows(characters, width: width).map { String(characters[trimmed($0, characters)]) }
    }

    /// Returns a text behind its head, with further rows indented. Both may have colours of `TextStyle`.
    ///
    /// - Parameters:
    ///   - indent: The indent of further rows; nil for the width of the head. Little is left of it on a narrow terminal.
    ///   - columns: The width of the terminal; nil for one row, as in a pipe.
    static func hanging(_ head: String, _ text: String, indent: Int? = nil, columns: Int?) -> [String] {
        guard let columns else { return [head + text] }
        let width = max(columns, 12)
        let headWidth = StyledText(head).width
        let margin = min(indent ?? headWidth, width / 2)
        let styled = StyledText(text)
        let hasLines = styled.characters.contains(where: \.isNewline)
        guard hasLines || headWidth + styled.width > width else { return [head + text] }
        let blank = String(repeating: " ", count: margin)
        // Next to a head that fills most of the row, the text would be a column of single words.
        let startsBelow = headWidth > margin && width - headWidth < 20
        let rows = rows(
            styled.characters, width: startsBelow ? width - margin : max(1, width - headWidth), rest: width - margin
        ).map { styled.text(of: trimmed($0, styled.characters)) }
        if startsBelow { return [trimmedEnd(head)] + rows.map { blank + $0 } }
        return rows.enumerated().map { ($0 == 0 ? head : blank) + $1 }
    }

    private static func trimmed(_ row: Range<Int>, _ characters: [Character]) -> Range<Int> {
        let end = characters[row].lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? row.lowerBound
        return row.lowerBound..<end
    }

    private static func trimmedEnd(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}
