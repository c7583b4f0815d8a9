import HarkClient
import HarkWire

/// Tells whether bytes are one JSON number, string, `true` or `false`, and nothing else.
enum ScalarText {
    /// Returns a value as shown in a table: a text as it is, or in quotes if it looks like another JSON value, since
    /// the text 1 is not the number 1.
    static func shown(_ value: JSONText) -> String {
        guard let text = value.string, !isAmbiguous(text.utf8) else { return VisibleText.make(value.text) }
        return VisibleText.make(text)
    }

    /// Whether a text looks like a JSON value other than a string.
    static func isAmbiguous(_ text: some Collection<UInt8>) -> Bool {
        isValid(text) || text.elementsEqual("null".utf8) || text.first.map { "[{".utf8.contains($0) } ?? false
    }

    static func isValid(_ text: some Collection<UInt8>) -> Bool {
        let bytes = ArraySlice(text)
        switch bytes.first {
        case nil: return false
        case .quote: return isString(bytes)
        case UInt8(ascii: "t"): return bytes.elementsEqual("true".utf8)
        case UInt8(ascii: "f"): return bytes.elementsEqual("false".utf8)
        default: return isNumber(bytes)
        }
    }

    /// RFC 8259: `-`? int frac? exp?
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        var rest = ArraySlice(text)
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        if rest.first == UInt8(ascii: "0") {
            rest.removeFirst()
        } else if dropDigits(&rest) == 0 {
            return false
        }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            if dropDigits(&rest) == 0 { return false }
        }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            if dropDigits(&rest) == 0 { return false }
        }
        return rest.isEmpty
    }

    private static func dropDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest.removeFirst(digits.count)
        return digits.count
    }

    private static func isString(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= 2, bytes.last == .quote else { return false }
        var rest = bytes.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            if byte < 0x20 || byte == .quote { return false }
            guard byte == .backslash else { continue }
            guard let letter = rest.popFirst() else { return false }
            if letter == UInt8(ascii: "u") {
                let digits = rest.prefix(4)
                guard digits.count == 4, digits.allSatisfy(isHexDigit) else { return false }
                rest.removeFirst(4)
            } else if !"\"\\/bfnrt".utf8.contains(letter) {
                return false
            }
        }
        return true
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isHexDigit
    }
}
