import HarkClient
import HarkWire

/// Text for SVG and HTML.
enum Markup {
    /// Escapes text for use between tags and in attributes. Invisible characters and those that change the direction of
    /// text are made visible, so every character is valid in XML.
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

    /// Returns recorded text for a page, isolated so that its script does not change the direction of its surroundings.
    static func recorded(_ text: String, atMost longest: Int = longest) -> String {
        "<bdi>\(escaped(shortened(text, atMost: longest)))</bdi>"
    }

    /// Truncates a long text.
    static func shortened(_ text: String, atMost longest: Int = longest) -> String {
        // A letter may have any number of combining marks.
        let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(4 * longest)))
        if part.count <= longest, part.unicodeScalars.count == text.unicodeScalars.count { return text }
        return String(part.prefix(longest - 1)) + "…"
    }

    /// The maximum length in characters.
    static let longest = 80
}
