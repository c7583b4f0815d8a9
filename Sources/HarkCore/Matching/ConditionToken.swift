/// A token of a condition's text, with its position.
struct ConditionToken {
    enum Kind: Equatable {
        /// Anything unquoted: a name, a number, `and`.
        case word
        case quoted
        /// `>=`, `(`, `,`
        case sign
        case end
    }

    let kind: Kind
    /// Without quotes.
    let text: String
    /// The position of the first character, counted from 1.
    let place: Int

    func isWord(_ word: String) -> Bool { kind == .word && text.lowercased() == word }
    func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

    /// The token as named in errors.
    var words: String {
        guard kind != .end else { return "the end" }
        let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
        return "'\(shown)'"
    }
}

/// An error in the text of a condition.
package struct ConditionFault: Error, Equatable {
    package let message: String

    init(at token: ConditionToken, _ expectation: String) {
        let place = token.kind == .end ? "at its end" : "at character \(token.place), \(token.words)"
        message = "the condition goes wrong \(place): \(expectation)"
    }

    init(_ message: String) { self.message = message }
}

extension ConditionToken {
    private static let signs = [">=", "<=", "!=", "<>", "==", ">", "<", "=", "(", ")", ","]
    private static let edges = Set<Character>("()=<>!,\"'")

    static func split(_ text: String) throws(ConditionFault) -> [ConditionToken] {
        var tokens: [ConditionToken] = []
        var rest = text[...]
        var place = 1
        func advance(_ count: Int) {
            rest = rest.dropFirst(count)
            place += count
        }
        while let next = rest.first {
            if next.isWhitespace {
                advance(1)
            } else if next == "\"" || next == "'" {
                let start = place
                advance(1)
                var value = ""
                while let character = rest.first, character != next {
                    advance(1)
                    // Only `\"` (or `\'`) and `\\` are escapes; any other backslash means itself.
                    if character == "\\", let escaped = rest.first, escaped == next || escaped == "\\" {
                        value.append(escaped)
                        advance(1)
                    } else {
                        value.append(character)
                    }
                }
                guard rest.first == next else {
                    throw ConditionFault("the text that begins at character \(start) has no closing \(next)")
                }
                advance(1)
                tokens.append(ConditionToken(kind: .quoted, text: value, place: start))
            } else if let sign = signs.first(where: { rest.hasPrefix($0) }) {
                tokens.append(ConditionToken(kind: .sign, text: sign, place: place))
                advance(sign.count)
            } else {
                // A lone "!" becomes a token, so that the parser reports the token that it expected there.
                let word = next == "!" ? "!" : rest.prefix { !$0.isWhitespace && !edges.contains($0) }
                tokens.append(ConditionToken(kind: .word, text: String(word), place: place))
                advance(word.count)
            }
        }
        return tokens + [ConditionToken(kind: .end, text: "", place: place)]
    }
}
