internal import HarkWire

/// The text that summarises a profile: lines with placeholders for values.
///
/// `{key}` means a value, `{key|capitalized}` the same with each word capitalised, and `{{` and `}}` mean
/// braces. A line with a list is repeated for each element; a line with a missing value is left out.
package struct ProfileSummary: Sendable, Equatable {
    package let lines: [[Piece]]

    package enum Piece: Sendable, Equatable {
        case text(String)
        case value(key: String, isCapitalized: Bool)
    }

    package init(lines: [[Piece]]) {
        self.lines = lines
    }

    /// - Parameter value: looks a value up by its key.
    func text(_ value: (String) -> JSONValue?) -> String {
        lines.flatMap { lines(of: $0, value) }.map { $0 + "\n" }.joined()
    }

    private func lines(of pieces: [Piece], _ value: (String) -> JSONValue?) -> [String] {
        var lines = [""]
        var isRepeated = false
        for piece in pieces {
            switch piece {
            case .text(let text):
                lines = lines.map { $0 + text }
            case .value(let key, let isCapitalized):
                let value = value(key) ?? .null
                let words = (value.arrayValue ?? [value]).compactMap(\.plainText)
                    .map { isCapitalized ? $0.capitalizedWords : $0 }
                guard !words.isEmpty else { return [] }
                if words.count == 1 || isRepeated {
                    let joined = words.joined(separator: ", ")
                    lines = lines.map { $0 + joined }
                } else {
                    isRepeated = true
                    let start = lines[0]
                    lines = words.map { start + $0 }
                }
            }
        }
        return lines
    }
}

extension ProfileSummary {
    /// Parses a line.
    ///
    /// - Returns: the pieces, or an error about its braces.
    static func read(line: String) -> Result<[Piece], Fault> {
        var pieces: [Piece] = []
        var text = ""
        var rest = line[...]
        while let character = rest.popFirst() {
            guard character == "{" || character == "}" else {
                text.append(character)
                continue
            }
            if rest.first == character {
                rest.removeFirst()
                text.append(character)
                continue
            }
            guard character == "{", let end = rest.firstIndex(of: "}") else {
                return .failure(Fault(message: "a brace stands alone; write '{{' or '}}' for one in the text"))
            }
            let words = rest[..<end].split(separator: "|", omittingEmptySubsequences: false).map { String($0).trimmed }
            rest = rest[rest.index(after: end)...]
            guard words.count < 3, words.count == 1 || words[1] == "capitalized" else {
                let written = words.joined(separator: "|")
                return .failure(Fault(message: "'{\(written)}' must be {key} or {key|capitalized}"))
            }
            if !text.isEmpty { pieces.append(.text(text)) }
            text = ""
            pieces.append(.value(key: words[0], isCapitalized: words.count == 2))
        }
        if !text.isEmpty { pieces.append(.text(text)) }
        return .success(pieces)
    }

    struct Fault: Error {
        let message: String
    }
}

extension JSONValue {
    /// The value as text; nil for null, arrays and objects.
    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .int, .bool: description
        case .double(let number): exactInteger.map(String.init) ?? JSONValue.double(number).description
        case .null, .array, .object: nil
        }
    }
}

extension String {
    /// The text with the first letter of each word in upper case.
    fileprivate var capitalizedWords: String {
        var isStart = true
        return reduce(into: "") { text, character in
            text += isStart ? character.uppercased() : String(character)
            isStart = character.isWhitespace || character == "-"
        }
    }
}
