import HarkWire

/// The tool's own words on their way to a terminal, or to a file that somebody reads in one.
enum TerminalText {
    /// Line ends and the colours of `Style` pass. Anything else that a terminal would obey got here by mistake, and is
    /// escaped.
    ///
    /// - Parameter glyphs: nil: it is for a file, which gets no colours, and all characters.
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

    /// How long a sequence is that sets colours (`ESC [ numbers m`); nil if it is none.
    private static func colourLength(_ scalars: ArraySlice<Unicode.Scalar>) -> Int? {
        guard scalars.dropFirst().first == "[" else { return nil }
        let numbers = scalars.dropFirst(2).prefix { ("0"..."9").contains($0) || $0 == ";" }
        guard numbers.count <= 16, scalars.dropFirst(2 + numbers.count).first == "m" else { return nil }
        return numbers.count + 3
    }
}
