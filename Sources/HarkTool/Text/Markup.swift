import HarkClient
import HarkWire

/// Text as it stands in SVG and HTML.
enum Markup {
    /// Text in which nothing is markup, between tags and in attributes. What a reader could not see, or what would turn the
    /// direction of text around, is made visible, so there is no character that XML cannot have.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in VisibleText.make(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// What somebody recorded, for a page: whatever its script, it does not change the direction of what stands beside it.
    static func recorded(_ text: String) -> String { "<bdi>\(escaped(shortened(text)))</bdi>" }

    /// A long text, cut.
    static func shortened(_ text: String) -> String {
        // A letter may have any number of marks.
        let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4 * longest)))
        if part.count <= longest, part.unicodeScalars.count == text.unicodeScalars.count { return text }
        return String(part.prefix(longest - 1)) + "…"
    }

    /// In characters.
    private static let longest = 80
}
