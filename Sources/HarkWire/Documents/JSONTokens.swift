/// The tokens of a JSON text: white space, comments, names, strings, numbers and words.
struct JSONTokens {
    let bytes: [UInt8]
    private let isJSON5: Bool
    private(set) var offset = 0

    init(_ bytes: [UInt8], isJSON5: Bool) {
        self.bytes = bytes
        self.isJSON5 = isJSON5
    }

    var peek: UInt8? { byte(offset) }

    private func byte(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skip(_ count: Int) { offset = min(offset + count, bytes.count) }

    func fault(_ problem: String, at place: Int? = nil) -> JSONFault {
        JSONFault(place: self.place(at: place ?? offset), problem: problem)
    }

    func place(at offset: Int) -> TextPlace { TextLines(bytes).place(at: offset) }

    func checkEncoding() throws(JSONFault) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw fault("a byte here is not UTF-8 text", at: error.byteOffsets.lowerBound)
        }
    }
}

// White space and comments.
extension JSONTokens {
    mutating func skipSpace() throws(JSONFault) {
        while let byte = peek {
            let length = spaceLength(at: offset)
            if length > 0 {
                offset += length
            } else if isJSON5, byte == UInt8(ascii: "/") {
                try skipComment()
            } else {
                return
            }
        }
    }

    /// Returns the length of the white space at a position, in bytes; 0 if there is none.
    private func spaceLength(at place: Int) -> Int {
        switch byte(place) {
        case 0x20, 0x09, 0x0A, 0x0D: return 1
        case 0x0B, 0x0C: return isJSON5 ? 1 : 0
        // A byte order mark is not part of the text.
        case 0xEF: return bytes[place...].starts(with: [0xEF, 0xBB, 0xBF]) && (isJSON5 || place == 0) ? 3 : 0
        case 0xC2: return isJSON5 && byte(place + 1) == 0xA0 ? 2 : 0
        case 0xE1, 0xE2, 0xE3:
            let end = min(place + 3, bytes.count)
            guard isJSON5, let scalar = String(decoding: bytes[place..<end], as: UTF8.self).unicodeScalars.first else {
                return 0
            }
            return scalar.properties.isWhitespace ? 3 : 0
        default: return 0
        }
    }

    private mutating func skipComment() throws(JSONFault) {
        let start = offset
        switch byte(offset + 1) {
        case UInt8(ascii: "/"):
            while let byte = peek, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") { offset += 1 }
        case UInt8(ascii: "*"):
            offset += 2
            while offset < bytes.count {
                if peek == UInt8(ascii: "*"), byte(offset + 1) == UInt8(ascii: "/") {
                    offset += 2
                    return
                }
                offset += 1
            }
            throw fault("this comment does not end", at: start)
        default: throw fault("a comment begins with // or /*")
        }
    }
}

// Words and numbers.
extension JSONTokens {
    /// Reads up to white space or the next punctuation.
    private mutating func word() -> String {
        let start = offset
        while let byte = peek, spaceLength(at: offset) == 0, !Self.isSign(byte) { offset += 1 }
        // At least one byte, so that an unexpected character can be reported.
        if offset == start { offset += 1 }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// Reads an unquoted member name.
    mutating func bareName() throws(JSONFault) -> String {
        let start = offset
        let word = word()
        guard isJSON5 else { throw fault("a name stands in double quotes", at: start) }
        let scalars = word.unicodeScalars
        guard let first = scalars.first, first.properties.isXIDStart || first == "$" || first == "_",
            scalars.allSatisfy({ $0.properties.isXIDContinue || $0 == "$" })
        else { throw fault("'\(word)' is no name; one like this stands in quotes", at: start) }
        return word
    }

    /// A number, `true`, `false` or `null`.
    mutating func scalar() throws(JSONFault) -> JSONValue {
        let start = offset
        let word = word()
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: break
        }
        var digits = word[...]
        let sign = digits.first.flatMap { $0 == "-" || $0 == "+" ? $0 : nil }
        if sign != nil { digits.removeFirst() }
        if ["Infinity", "NaN"].contains(digits) { throw fault("'\(word)' is no number that can be kept", at: start) }
        guard let first = digits.first, first.isASCII, first.isNumber || first == "." else {
            throw fault("'\(word)' is no value; a text stands in quotes", at: start)
        }
        guard let number = number(digits, isNegative: sign == "-"), isJSON5 || sign != "+" else {
            throw fault("'\(word)' is no number", at: start)
        }
        return number
    }

    /// Parses the digits after a sign; nil if they are not a number or too large.
    private func number(_ digits: Substring, isNegative: Bool) -> JSONValue? {
        let sign = isNegative ? "-" : ""
        if isJSON5, digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            let hex = digits.dropFirst(2)
            guard let first = hex.first, first.isHexDigit else { return nil }
            return Int64(sign + hex, radix: 16).map(JSONValue.int)
        }
        let whole = digits.prefix { $0.isASCII && $0.isNumber }
        var rest = digits.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        let hasPoint = rest.first == "."
        if hasPoint {
            fraction = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard whole.count == 1 || whole.first != "0" else { return nil }
        // JSON requires digits on both sides of a point, JSON5 on one of them.
        guard isJSON5 ? !whole.isEmpty || !fraction.isEmpty : !whole.isEmpty && (!hasPoint || !fraction.isEmpty) else {
            return nil
        }
        if !hasPoint, rest.isEmpty, let integer = Int64(sign + whole) { return .int(integer) }
        if let letter = rest.first {
            var exponent = rest.dropFirst()
            if let first = exponent.first, first == "+" || first == "-" { exponent.removeFirst() }
            guard letter == "e" || letter == "E", !exponent.isEmpty,
                exponent.allSatisfy({ $0.isASCII && $0.isNumber })
            else { return nil }
        }
        let point = hasPoint ? ".\(fraction.isEmpty ? "0" : fraction)" : ""
        guard let number = Double("\(sign)\(whole.isEmpty ? "0" : whole)\(point)\(rest)"), number.isFinite else {
            return nil
        }
        return .double(number)
    }
}

// Strings.
extension JSONTokens {
    /// Reads a string in double or single quotes.
    mutating func text() throws(JSONFault) -> String {
        let start = offset
        let quote = bytes[offset]
        offset += 1
        var text: [UInt8] = []
        while let byte = peek {
            switch byte {
            case quote:
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): throw fault("this text does not end in its line", at: start)
            case UInt8(ascii: "\\"):
                guard offset + 1 < bytes.count else { throw fault("this text does not end", at: start) }
                try escape(into: &text)
            case 0..<0x20 where !isJSON5: throw fault("a control character in a text must be written as an escape")
            default:
                text.append(byte)
                offset += 1
            }
        }
        throw fault("this text does not end", at: start)
    }

    /// Reads an escape sequence. The caller has checked that there is a character after the backslash.
    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        let letter = bytes[offset + 1]
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): return try unicode(into: &text)
        default: return try escapeOfJSON5(letter, into: &text)
        }
        offset += 2
    }

    private mutating func escapeOfJSON5(_ letter: UInt8, into text: inout [UInt8]) throws(JSONFault) {
        guard isJSON5 else { throw unknownEscape }
        switch letter {
        case UInt8(ascii: "'"): text.append(letter)
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "0"): text.append(0x00)
        // An escaped line end continues the string.
        case UInt8(ascii: "\n"): break
        case UInt8(ascii: "\r"): if byte(offset + 2) == UInt8(ascii: "\n") { offset += 1 }
        case UInt8(ascii: "x"):
            let value = try hexadecimal(digits: 2)
            text += Array(String(Unicode.Scalar(UInt8(truncatingIfNeeded: value))).utf8)
            return
        default: throw unknownEscape
        }
        offset += 2
    }

    private var unknownEscape: JSONFault {
        let character = String(decoding: bytes[(offset + 1)...].prefix(4), as: UTF8.self).first ?? "?"
        return fault("there is no escape '\\\(character)'; a backslash is written as \\\\")
    }

    private mutating func unicode(into text: inout [UInt8]) throws(JSONFault) {
        let start = offset
        var units = [try hexadecimal(digits: 4)]
        let half = "half of a surrogate pair is missing"
        if UTF16.isTrailSurrogate(units[0]) { throw fault(half, at: start) }
        if UTF16.isLeadSurrogate(units[0]) {
            guard peek == UInt8(ascii: "\\"), byte(offset + 1) == UInt8(ascii: "u") else {
                throw fault(half, at: start)
            }
            units.append(try hexadecimal(digits: 4))
            guard UTF16.isTrailSurrogate(units[1]) else { throw fault(half, at: start) }
        }
        text += Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Reads the hexadecimal digits of an escape.
    private mutating func hexadecimal(digits count: Int) throws(JSONFault) -> UInt16 {
        let digits = bytes[min(offset + 2, bytes.count)...].prefix(count)
        var value: UInt16 = 0
        for byte in digits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { break }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        offset += 2
        guard digits.count == count, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
            throw fault("there should be \(count) hexadecimal digits", at: min(offset, bytes.count))
        }
        return value
    }
}
