import HarkWire

/// The tool's own text, for a terminal or for a file that is read in one.
enum TerminalText {
    /// Keeps line ends and the colours of `Style`. Other control characters got here by mistake and are escaped.
    ///
    /// - Parameter glyphs: The terminal's characters; nil for a file, which gets all characters and no colours.
    static func make(_ text: String, glyphs: Glyphs?) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) { return text }
        let scalars = Array(text.unicodeScalars)
        var result = ""
        var place = 0
        while place < scalars.count {
            let scalar = scalars[place]
            if scalar == "\u{1B}", let length = colourLength(scalars[place...]) {
                if glyphs != nil { result.unicodeScalars.append(contentsOf: scalars[place..<(place + length)]) }
                place += length
                continue
            }
            if VisibleText.isHidden(scalar), scalar != "\n" {
                result += VisibleText.escape(scalar)
            } else {
                result += glyphs?.spelling(of: scalar) ?? String(scalar)
            }
            place += 1
        }
        return result
    }

    /// Returns the length of a colour sequence (`ESC [ numbers m`); nil if it is another sequence.
    private static func colourLength(_ scalars: ArraySlice<Unicode.Scalar>) -> Int? {
        guard scalars.dropFirst().first == "[" else { return nil }
        let numbers = scalars.dropFirst(2).prefix { ("0"..."9").contains($0) || $0 == ";" }
        guard numbers.count <= 16, scalars.dropFirst(2 + numbers.count).first == "m" else { return nil }
        return numbers.count + 3
    }
}
