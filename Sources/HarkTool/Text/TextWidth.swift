/// The number of terminal columns of a text.
enum TextWidth {
    /// Counts visible columns: a letter with its combining marks is 1, East Asian wide letters and emoji are 2.
    static func of(_ text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        if character.isASCII { return 1 }
        var width = 0
        for scalar in character.unicodeScalars {
            if isWide(scalar) { return 2 }
            // Terminals count code points: a vowel sign or the second consonant of a conjunct has its own column.
            if !isZeroWidth(scalar) { width += 1 }
        }
        return width
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - of(text)))
    }

    /// Whether a scalar is a combining mark or a formatting character.
    private static func isZeroWidth(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x1100: false
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F300...0x1F64F,
            0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD, 0xFE0F:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}
