internal import HarkWire

/// Texts of events, answers and users as parts of another text.
enum InsertedText {
    /// The most characters of a value in a text, and the most Unicode scalars: a letter may have any number of marks.
    static let mostCharacters = 200
    static let mostScalars = 800

    /// A text without characters that could imitate other text: control characters, line ends and marks of direction. It is cut
    /// if it is too long.
    ///
    /// - Returns: nil if nothing is left.
    static func harmless(_ text: String) -> String? {
        var kept = String.UnicodeScalarView()
        var isCut = false
        for scalar in text.unicodeScalars {
            if kept.count >= mostScalars {
                isCut = true
                break
            }
            if !VisibleText.isHidden(scalar) {
                kept.append(scalar)
            } else if scalar.properties.isWhitespace {
                kept.append(" ")
            }
        }
        let shown = String(kept).trimmed
        guard !shown.isEmpty else { return nil }
        return isCut || shown.count > mostCharacters ? String(shown.prefix(mostCharacters - 1)) + "…" : shown
    }

    /// A text with marks that keep its direction separate from its surroundings (FSI and PDI), if these have another one.
    static func isolated(_ text: String, in surroundings: String) -> String {
        isRightToLeft(text) == isRightToLeft(surroundings) ? text : "\u{2068}\(text)\u{2069}"
    }

    private static func isRightToLeft(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
            default: false
            }
        }
    }
}

extension String {
    /// The first characters that have no more bytes together; the whole text if it is no longer.
    func prefix(bytes most: Int) -> String {
        guard utf8.count > most else { return self }
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in unicodeScalars {
            count += UTF8.width(scalar)
            if count > most { break }
            kept.append(scalar)
        }
        return String(kept)
    }
}
