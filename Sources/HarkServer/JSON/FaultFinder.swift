import HarkWire

/// Reads a line that simdjson refused, to report the fault, its place and the request's id.
///
/// simdjson is fast because it does not track these. This reader is simple, takes linear time and is used for refusals
/// only.
struct FaultFinder {
    private let text: UnsafeBufferPointer<UInt8>
    private let maxNesting: Int
    private var offset = 0
    private var stack: [Level] = []

    /// The id of the request, if it precedes the fault; null if there are two.
    private(set) var id: RequestID = .null
    private var idsSeen = 0

    /// An open array or object, and the position in it.
    private enum Level {
        case array(index: Int)
        /// The key as written, without its quotes.
        case object(key: Range<Int>)
    }

    private typealias Fault = RequestFault

    init(_ text: UnsafeBufferPointer<UInt8>, maxNesting: Int) {
        self.text = text
        self.maxNesting = maxNesting
    }

    /// The first fault of the line; nil if it is a JSON text that Hark can hold.
    mutating func find() -> RequestFault? {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: text.span)
        } catch {
            return RequestFault(kind: .invalidUTF8(offset: error.byteOffsets.lowerBound))
        }
        do {
            try document()
            return nil
        } catch {
            return error
        }
    }
}

extension FaultFinder {
    private mutating func document() throws(RequestFault) {
        skipSpace()
        guard peek != nil else { throw syntax("the line is empty") }
        repeat { try value() } while try next()
        guard peek == nil else { throw syntax("something follows the value") }
    }

    /// Reads a scalar, or opens arrays and objects down to the first scalar or empty one.
    private mutating func value() throws(RequestFault) {
        while true {
            switch peek {
            case UInt8(ascii: "{"):
                try open(.object(key: 0..<0))
                guard peek != UInt8(ascii: "}") else { return }
                try key()
            case UInt8(ascii: "["):
                try open(.array(index: 0))
                guard peek != UInt8(ascii: "]") else { return }
            default:
                return try scalar()
            }
        }
    }

    /// Moves to the next value: past a comma and a key, or past the ends of arrays and objects. False at the end.
    private mutating func next() throws(RequestFault) -> Bool {
        skipSpace()
        while let level = stack.last {
            switch (level, peek) {
            case (.array(let index), UInt8(ascii: ",")):
                skip()
                stack[stack.count - 1] = .array(index: index + 1)
                return true
            case (.object, UInt8(ascii: ",")):
                skip()
                try key()
                return true
            case (.array, UInt8(ascii: "]")), (.object, UInt8(ascii: "}")):
                stack.removeLast()
                skip()
            case (.array, _): throw syntax("expected ',' or ']'")
            case (.object, _): throw syntax("expected ',' or '}'")
            }
        }
        return false
    }

    private mutating func open(_ level: Level) throws(RequestFault) {
        guard stack.count < maxNesting else { throw fault(.tooDeep(limit: maxNesting)) }
        stack.append(level)
        skip()
    }

    private mutating func key() throws(RequestFault) {
        guard peek == UInt8(ascii: "\"") else { throw syntax("expected a member's name in quotes") }
        let range = try string()
        stack[stack.count - 1] = .object(key: range)
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw syntax("expected ':' behind a member's name") }
        skip()
    }

    private mutating func scalar() throws(RequestFault) {
        let start = offset
        guard let first = peek else { throw syntax("the line ends where a value is expected") }
        switch first {
        case UInt8(ascii: "\""):
            _ = try string()
            if isID { take(.text(Array(text[start..<offset]))) }
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try number()
            if isID, let number { take(.int(number)) }
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw syntax("expected a value")
        }
    }

    private mutating func take(_ id: RequestID) {
        idsSeen += 1
        self.id = idsSeen == 1 ? id : .null
    }

    private var isID: Bool {
        guard stack.count == 1, case .object(let key) = stack[0] else { return false }
        return UnsafeBufferPointer(rebasing: text[key]).isEqual("id")
    }
}

extension FaultFinder {
    private mutating func word(_ word: StaticString) throws(RequestFault) {
        let end = offset + word.utf8CodeUnitCount
        guard end <= text.count, UnsafeBufferPointer(rebasing: text[offset..<end]).isEqual(word) else {
            throw syntax("expected \(word)")
        }
        offset = end
    }

    /// Reads a string and returns the range of its content.
    private mutating func string() throws(RequestFault) -> Range<Int> {
        offset += 1
        let start = offset
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return start..<offset - 1
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw syntax("a control character in a string must be escaped")
            default: offset += 1
            }
        }
        throw syntax("a string has no closing quote")
    }

    private mutating func escape() throws(RequestFault) {
        offset += 1
        switch peek {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if UTF16.isTrailSurrogate(unit) { throw syntax("half of a surrogate pair is missing") }
            guard UTF16.isLeadSurrogate(unit) else { return }
            guard peek == UInt8(ascii: "\\"), offset + 1 < text.count, text[offset + 1] == UInt8(ascii: "u") else {
                throw syntax("half of a surrogate pair is missing")
            }
            offset += 1
            guard UTF16.isTrailSurrogate(try codeUnit()) else { throw syntax("half of a surrogate pair is missing") }
        default: throw syntax("unknown escape")
        }
    }

    /// Reads `u` and four digits.
    private mutating func codeUnit() throws(RequestFault) -> UInt16 {
        offset += 1
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw syntax("expected four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// Reads a number and returns it if it is an integer.
    private mutating func number() throws(RequestFault) -> Int64? {
        let start = offset
        if peek == UInt8(ascii: "-") { offset += 1 }
        if peek == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        var isInteger = true
        if peek == UInt8(ascii: ".") {
            isInteger = false
            offset += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            isInteger = false
            offset += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { offset += 1 }
            try digits()
        }
        let literal = String(decoding: text[start..<offset], as: UTF8.self)
        if isInteger {
            guard let integer = Int64(literal) else { throw fault(.integerOutOfRange) }
            return integer
        }
        guard let number = Double(literal), number.isFinite else { throw fault(.numberOutOfRange) }
        return nil
    }

    private mutating func digits() throws(RequestFault) {
        let start = offset
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        guard offset > start else { throw syntax("expected a digit") }
    }
}

extension FaultFinder {
    private var peek: UInt8? { offset < text.count ? text[offset] : nil }

    /// Skips one byte and the white space behind it.
    private mutating func skip() {
        offset += 1
        skipSpace()
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    }

    private func syntax(_ problem: String) -> RequestFault {
        RequestFault(kind: .syntax(offset: offset, problem))
    }

    private func fault(_ kind: RequestFault.Kind) -> RequestFault {
        var path = JSONPath.root
        for level in stack.reversed() {
            switch level {
            case .array(let index): path.prepend(index: index)
            case .object(let key): path.prepend(name: UnsafeBufferPointer(rebasing: text[key]))
            }
        }
        return RequestFault(kind: kind, path: path)
    }
}
