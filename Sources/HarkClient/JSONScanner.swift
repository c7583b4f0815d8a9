import Glibc

/// Steps over JSON values in bytes, which must stay in place meanwhile. Returned positions are indices of those bytes.
///
/// Invariant: `position` lies between the ends. A step that finds nothing returns nil and may have moved.
package struct JSONScanner {
    package let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = min(max(position, 0), bytes.count)
    }

    /// Skips white space and then this byte. Returns false, with only white space skipped, if another byte follows.
    package mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Steps over the string that follows. Returns its range with the quotes.
    mutating func string() -> Range<Int>? {
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == .quote else { return nil }
        return value()
    }

    /// Steps over the value that follows. Returns its range.
    @discardableResult package mutating func value() -> Range<Int>? {
        skipSpace()
        let start = position
        guard let end = endOfValue(from: start) else { return nil }
        position = end
        return start..<end
    }

    /// Whether the bytes are exactly one value.
    static func isOneValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = JSONScanner(bytes)
        return scanner.value() == bytes.indices
    }

    /// Calls `body` with the range of each member's name, without quotes, in the object that follows. `body` must step
    /// over the value; otherwise the iteration ends. A value that is not an object is skipped.
    package mutating func members(_ body: (inout JSONScanner, _ key: Range<Int>) -> Void) {
        guard skip(.openBrace) else {
            value()
            return
        }
        while let key = string(), skip(.colon) {
            body(&self, key.lowerBound + 1..<key.upperBound - 1)
            guard skip(.comma) else { break }
        }
        _ = skip(.closeBrace)
    }

    /// Calls `body` at each element of the array that follows, under the same rules.
    package mutating func elements(_ body: (inout JSONScanner) throws -> Void) rethrows {
        guard skip(.openBracket) else {
            value()
            return
        }
        while !skip(.closeBracket), position < bytes.endIndex {
            let start = position
            try body(&self)
            guard skip(.comma) || position > start else { return }
        }
    }

    /// Steps over the next member. Returns the ranges of its name, without quotes, and of its value.
    mutating func member() -> (key: Range<Int>, value: Range<Int>)? {
        guard let key = string(), skip(.colon), let value = value() else { return nil }
        return (key.lowerBound + 1..<key.upperBound - 1, value)
    }

    /// Whether the bytes in a range equal a literal name.
    func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
        return memcmp(start + range.lowerBound, name.utf8Start, range.count) == 0
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex, bytes[position].isJSONSpace { position += 1 }
    }

    /// Returns the end of the value at a position; nil if there is none or it is incomplete.
    ///
    /// Brackets must match in kind. A value nested deeper than 64 levels, twice the daemon's limit, is not valid.
    private func endOfValue(from start: Int) -> Int? {
        guard start < bytes.endIndex else { return nil }
        switch bytes[start] {
        case .quote: return endOfString(from: start)
        case .openBrace, .openBracket: return endOfContainer(from: start)
        default:
            var end = start
            while end < bytes.endIndex, !bytes[end].endsJSONWord { end += 1 }
            return end == start ? nil : end
        }
    }

    private func endOfContainer(from start: Int) -> Int? {
        var levels = Levels()
        var isInString = false
        var at = start
        while at < bytes.count {
            if at + 8 <= bytes.count {
                let word = EightBytes(bytes, at)
                if word.places(of: .backslash) == 0 {
                    // Bytes from one quote to the next are in a string, and so is the first byte if the previous word
                    // ended in one.
                    let inside = word.insideQuotes(isInString)
                    isInString = inside & 0x80 != 0
                    var brackets = word.brackets & ~inside
                    while brackets != 0 {
                        let place = at + brackets.trailingZeroBitCount
                        guard levels.pass(bytes[place]) else { return nil }
                        if levels.depth == 0 { return place + 1 }
                        brackets &= brackets - 1
                    }
                    at += 8
                    continue
                }
            }
            // Words with escapes, and the last partial word, are scanned byte by byte.
            let end = min(at + 8, bytes.count)
            while at < end {
                let byte = bytes[at]
                if byte == .quote {
                    isInString.toggle()
                } else if isInString {
                    if byte == .backslash { at += 1 }
                } else if byte.isJSONBracket {
                    guard levels.pass(byte) else { return nil }
                    if levels.depth == 0 { return at + 1 }
                }
                at += 1
            }
        }
        return nil
    }

    /// The open brackets.
    private struct Levels {
        private(set) var depth = 0
        /// A bit for each level, the innermost lowest: set if the level is an object.
        private var kinds: UInt64 = 0

        /// Returns false if the bracket does not match, or the nesting is too deep.
        mutating func pass(_ bracket: UInt8) -> Bool {
            let isBrace = bracket == .openBrace || bracket == .closeBrace
            if bracket == .openBrace || bracket == .openBracket {
                depth += 1
                kinds = kinds << 1 | (isBrace ? 1 : 0)
                return depth <= 64
            }
            guard (kinds & 1 == 1) == isBrace else { return false }
            depth -= 1
            kinds >>= 1
            return true
        }
    }

    private func endOfString(from start: Int) -> Int? {
        var at = start + 1
        while at < bytes.count {
            if at + 8 <= bytes.count {
                let plain = EightBytes(bytes, at).bytesOfPlainText
                at += plain
                if plain == 8 { continue }
            }
            switch bytes[at] {
            case .quote: return at + 1
            case .backslash: at += 2
            default: at += 1
            }
        }
        return nil
    }
}

/// Eight bytes processed in parallel. Results have a bit per byte, the lowest for the first.
private struct EightBytes {
    private let word: UInt64
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) {
        let raw = UnsafeRawBufferPointer(bytes)
        word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    @inline(__always) func places(of byte: UInt8) -> UInt64 { Self.places(of: byte, in: word) }

    /// The places of brackets and braces, which differ by one bit.
    @inline(__always) var brackets: UInt64 {
        let folded = word | Self.ones &* 0x20
        return Self.places(of: .openBrace, in: folded) | Self.places(of: .closeBrace, in: folded)
    }

    /// The bytes from each opening quote to its closing quote, if no quote is escaped.
    @inline(__always) func insideQuotes(_ isInside: Bool) -> UInt64 {
        var places = places(of: .quote)
        places ^= places << 1
        places ^= places << 2
        places ^= places << 4
        return (isInside ? ~places : places) & 0xFF
    }

    /// The number of bytes before the first quote or backslash.
    @inline(__always) var bytesOfPlainText: Int {
        let (quote, backslash) = (word ^ Self.ones &* 0x22, word ^ Self.ones &* 0x5C)
        // The top bit of each zero byte. Marks above the first may be false.
        let marks = (quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash
        return (marks & (Self.ones &* 0x80)).trailingZeroBitCount >> 3
    }

    @inline(__always) private static func places(of byte: UInt8, in word: UInt64) -> UInt64 {
        let other = word ^ (ones &* UInt64(byte))
        let low = ones &* 0x7F
        // The top bit of each equal byte.
        let marks = ~(((other & low) &+ low) | other | low)
        return ((marks &>> 7) &* 0x0102_0408_1020_4080) &>> 56
    }
}

extension UInt8 {
    @inlinable package static var quote: UInt8 { UInt8(ascii: "\"") }
    @inlinable package static var backslash: UInt8 { UInt8(ascii: "\\") }
    @inlinable package static var openBrace: UInt8 { UInt8(ascii: "{") }
    @inlinable package static var closeBrace: UInt8 { UInt8(ascii: "}") }
    @inlinable package static var openBracket: UInt8 { UInt8(ascii: "[") }
    @inlinable package static var closeBracket: UInt8 { UInt8(ascii: "]") }
    @inlinable package static var colon: UInt8 { UInt8(ascii: ":") }
    @inlinable package static var comma: UInt8 { UInt8(ascii: ",") }
    @inlinable package static var newline: UInt8 { UInt8(ascii: "\n") }

    /// Whether this byte ends a number or word before it.
    fileprivate var endsJSONWord: Bool {
        self == .comma || self == .closeBrace || self == .closeBracket || isJSONSpace
    }
    var isJSONBracket: Bool {
        self == .openBrace || self == .closeBrace || self == .openBracket || self == .closeBracket
    }
    @inlinable package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || isJSONLineBreak }
    @inlinable package var isJSONLineBreak: Bool { self == 0x0a || self == 0x0d }
}
