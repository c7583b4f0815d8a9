/// Makes text from others harmless on a terminal.
///
/// Control characters could move the cursor, change colours or forge lines; characters that change the direction of
/// text could make it read as something else. All of them are replaced by visible escapes.
package enum VisibleText {
    /// Escapes a text for one line, including its line ends.
    package static func make(_ text: String) -> String {
        escaped(text, keeping: { _ in false }, by: escape)
    }

    /// Escapes a text of several lines, keeping line ends.
    package static func lines(_ text: String) -> String {
        escaped(text, keeping: { $0 == "\n" }, by: escape)
    }

    /// Escapes JSON without changing its meaning: hidden characters occur only in its strings, where `\u` is an escape.
    package static func json(_ text: String) -> String {
        escaped(text, keeping: { $0 == "\n" }, by: escapeOfJSON)
    }

    /// Every hidden character fits into four digits.
    private static func escapeOfJSON(_ scalar: Unicode.Scalar) -> String {
        "\\u" + padded(String(scalar.value, radix: 16), 4)
    }

    /// Formats a value for `key=value`: quoted if it is empty or has white space, quotes or an equals sign.
    package static func value(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy {
            (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"")
        }
        if isWord, !text.isEmpty { return text }
        let visible = make(text)
        let plain = !visible.isEmpty && !visible.contains { $0.isWhitespace || $0 == "\"" || $0 == "=" }
        if plain { return visible }
        return "\"" + visible.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"") + "\""
    }

    /// Whether a terminal acts on this character, or shows something else than the text says.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Directional marks, embeddings, overrides and isolates; line and paragraph separators; a byte order mark.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case "\u{1B}": "\\e"
        default:
            scalar.value < 0x100
                ? "\\x" + padded(String(scalar.value, radix: 16), 2) : "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }

    private static func escaped(
        _ text: String, keeping keeps: (Unicode.Scalar) -> Bool, by escape: (Unicode.Scalar) -> String
    ) -> String {
        // Most text is ASCII, and checking bytes is ten times faster than checking characters.
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        guard text.unicodeScalars.contains(where: { isHidden($0) && !keeps($0) }) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if isHidden(scalar), !keeps(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
