/// A text being written: its characters, as a person sees them, and the position of the next one.
///
/// Invariant: `0 <= cursor <= characters.count`.
package struct TextEditor: Sendable, Equatable {
    package private(set) var characters: [Character] = []
    package private(set) var cursor = 0

    package init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    package var text: String { String(characters) }

    /// Inserts text. Tabs become spaces, and other control characters are left out.
    package mutating func insert(_ text: String) {
        let after = String(characters[cursor...])
        let before = String(characters[..<cursor]) + Self.clean(text)
        characters = Array(before + after)
        // A combining mark joins the character before it, so the total may be smaller than the sum of the parts.
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

    package mutating func deleteBackward() {
        if cursor > 0 { remove(cursor - 1..<cursor) }
    }

    package mutating func deleteForward() {
        if cursor < characters.count { remove(cursor..<cursor + 1) }
    }

    package mutating func deleteWord() {
        remove(wordStart..<cursor)
    }

    package mutating func deleteToLineStart() {
        remove(lineStart..<cursor)
    }

    package mutating func deleteToLineEnd() {
        remove(cursor..<lineEnd)
    }

    private mutating func remove(_ range: Range<Int>) {
        let before = String(characters[..<range.lowerBound])
        characters = Array(before + String(characters[range.upperBound...]))
        cursor = min(before.count, characters.count)
    }

    /// Moves the cursor; the index is clamped.
    package mutating func move(to place: Int) { cursor = min(max(place, 0), characters.count) }

    package mutating func moveLeft() { cursor = max(cursor - 1, 0) }
    package mutating func moveRight() { cursor = min(cursor + 1, characters.count) }
    package mutating func moveWordLeft() { cursor = wordStart }
    package mutating func moveWordRight() { cursor = wordEnd }
    package mutating func moveToLineStart() { cursor = lineStart }
    package mutating func moveToLineEnd() { cursor = lineEnd }

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
