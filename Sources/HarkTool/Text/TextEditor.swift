/// A text while it is written: its characters, as a person sees them, and the place where the next one goes.
///
/// Invariant: `0 <= cursor <= characters.count`.
struct TextEditor: Sendable, Equatable {
    private(set) var characters: [Character] = []
    private(set) var cursor = 0

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }

    /// Puts text in. Control characters have no place in an answer: tabs become spaces, the others are left out.
    mutating func insert(_ text: String) {
        let after = String(characters[cursor...])
        let before = String(characters[..<cursor]) + Self.clean(text)
        characters = Array(before + after)
        // A mark belongs to the letter before it, so there may be fewer characters than before and after have.
        cursor = min(before.count, characters.count)
    }

    private static func clean(_ text: String) -> String {
        var result = ""
        for character in text {
            if character.isNewline {
                result.append("\n")
            } else if character == "\t" {
                result.append(" ")
            } else {
                result.unicodeScalars.append(contentsOf: character.unicodeScalars.filter { !isControl($0) })
            }
        }
        return result
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    mutating func deleteBackward() {
        if cursor > 0 { remove(cursor - 1..<cursor) }
    }

    mutating func deleteForward() {
        if cursor < characters.count { remove(cursor..<cursor + 1) }
    }

    mutating func deleteWord() {
        remove(wordStart..<cursor)
    }

    mutating func deleteToLineStart() {
        remove(lineStart..<cursor)
    }

    mutating func deleteToLineEnd() {
        remove(cursor..<lineEnd)
    }

    private mutating func remove(_ range: Range<Int>) {
        let before = String(characters[..<range.lowerBound])
        characters = Array(before + String(characters[range.upperBound...]))
        cursor = min(before.count, characters.count)
    }

    mutating func moveLeft() { cursor = max(cursor - 1, 0) }
    mutating func moveRight() { cursor = min(cursor + 1, characters.count) }
    mutating func moveWordLeft() { cursor = wordStart }
    mutating func moveWordRight() { cursor = wordEnd }
    mutating func moveToLineStart() { cursor = lineStart }
    mutating func moveToLineEnd() { cursor = lineEnd }

    /// Moves so many rows of that width up or down; false, and nothing has changed, if there is no such row.
    mutating func moveRows(_ rows: Int, width: Int) -> Bool {
        let layout = WordWrap.rows(characters, width: width)
        let place = place(in: layout)
        let target = place.row + rows
        guard layout.indices.contains(target) else { return false }
        cursor = index(nearest: place.column, in: layout[target], isLast: target == layout.count - 1)
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

    private var lineStart: Int {
        characters[..<cursor].lastIndex { $0.isNewline }.map { $0 + 1 } ?? 0
    }

    private var lineEnd: Int {
        characters[cursor...].firstIndex { $0.isNewline } ?? characters.count
    }

    private var wordStart: Int {
        let end = characters[..<cursor].lastIndex { !$0.isWhitespace } ?? 0
        return characters[..<end].lastIndex { $0.isWhitespace }.map { $0 + 1 } ?? 0
    }

    private var wordEnd: Int {
        let start = characters[cursor...].firstIndex { !$0.isWhitespace } ?? characters.count
        return characters[start...].firstIndex { $0.isWhitespace } ?? characters.count
    }
}
