/// A text with colours of `TextStyle`, as characters and the sequences before them.
struct StyledText {
    /// The visible characters.
    private(set) var characters: [Character] = []
    /// The sequences before the character at an index, if there are any.
    private var codes: [Int: String] = [:]

    private static let end = "\u{1B}[0m"

    init(_ text: String) {
        guard text.utf8.contains(0x1B) else {
            characters = Array(text)
            return
        }
        var rest = text[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            characters += rest[..<escape]
            guard let last = rest[escape...].firstIndex(of: "m") else { break }
            codes[characters.count, default: ""] += rest[escape...last]
            rest = rest[rest.index(after: last)...]
        }
        characters += rest
    }

    /// The number of terminal columns.
    var width: Int { characters.reduce(0) { $0 + TextWidth.of($1) } }

    /// Returns a part with the style that it has in the whole, ended at its end.
    func text(of part: Range<Int>) -> String {
        var style = codes.filter { $0.key < part.lowerBound }.max { $0.key < $1.key }?.value ?? ""
        if style.hasSuffix(Self.end) { style = "" }
        var result = style
        for index in part {
            if let code = codes[index] {
                result += code
                style = code.hasSuffix(Self.end) ? "" : code
            }
            result.append(characters[index])
        }
        return result + (style.isEmpty ? "" : Self.end)
    }
}
