internal import HarkWire

/// A text with placeholders for values, such as `Thank you for {event.amount:money EUR|your purchase}.`
///
/// A placeholder is a name, after a colon a format, and after a bar the text to use when there is no value. `{{`
/// and `}}` are braces.
package struct PipedText: Sendable, Equatable {
    package let parts: [Part]

    package enum Part: Sendable, Equatable {
        case text(String)
        case place(Place)
    }

    package struct Place: Sendable, Equatable {
        package let name: ValueName
        package let format: ValueFormat
        /// The text to use without a value; nil for `…`.
        package let fallback: String?
    }

    package var places: [Place] {
        parts.compactMap { if case .place(let place) = $0 { place } else { nil } }
    }

    /// Whether a text must be parsed.
    static func isPiped(_ text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
    }

    /// - Throws: a clause about its braces, a name or a format.
    package init(_ text: String) throws(ValueFault) {
        var parts: [Part] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                plain.append(character)
                continue
            }
            if rest.first == character {
                rest.removeFirst()
                plain.append(character)
                continue
            }
            guard character == "{", let end = Self.end(of: rest) else {
                throw ValueFault("has a brace that stands alone; write '{{' or '}}' for one in the text")
            }
            if !plain.isEmpty { parts.append(.text(plain)) }
            plain = ""
            parts.append(.place(try Self.place(rest[..<end])))
            rest = rest[rest.index(after: end)...]
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    /// The closing brace of a placeholder; one in quotes does not count.
    private static func end(of text: Substring) -> Substring.Index? {
        var isQuoted = false
        for (place, character) in zip(text.indices, text) {
            if character == "\"" { isQuoted.toggle() }
            if character == "}", !isQuoted { return place }
        }
        return text.firstIndex(of: "}")
    }

    private static func place(_ text: Substring) throws(ValueFault) -> Place {
        var isQuoted = false
        let bar = zip(text.indices, text).first { _, character in
            if character == "\"" { isQuoted.toggle() }
            return character == "|" && !isQuoted
        }?.0
        let head = text[..<(bar ?? text.endIndex)]
        let colon = head.firstIndex(of: ":")
        let name = try ValueName(String(head[..<(colon ?? head.endIndex)]).trimmed)
        let format = try colon.map { colon throws(ValueFault) in
            try ValueFormat(String(head[head.index(after: colon)...]).trimmed)
        }
        let fallback = bar.map { String(text[text.index(after: $0)...]).trimmed }
        return Place(name: name, format: format ?? .plain, fallback: fallback)
    }
}
