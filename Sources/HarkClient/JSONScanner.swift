import Glibc

/// Steps over JSON values in bytes; every position it returns is an index of those. It is used while these are held in place.
///
/// Invariant: `position` lies between the ends; a step that finds nothing returns nil and may have moved.
package struct JSONScanner {
    package let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var position: Int

    package init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        self.bytes = bytes
        self.position = min(max(position, 0), bytes.count)
    }

    /// Skips white space and then that byte; false, and only the white space skipped, if another byte stands there.
    package mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// The range of the string that follows, its quotes included.
    mutating func string() -> Range<Int>? {
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == .quote else { return nil }
        return value()
    }

    /// The range of the value that follows.
    @discardableResult package mutating func value() -> Range<Int>? {
        skipSpace()
        let start = position
        guard let end = endOfValue(from: start) else { return nil }
        position = end
        return start..<end
    }

    /// Whether the bytes are a value and nothing after it.
    static func isOneValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = JSONScanner(bytes)
        return scanner.value() == bytes.indices
    }

    /// Calls `body` with the range of each member's name, between its quotes, of the object that follows. `body` steps over the
    /// value, or it was the last one. Another value is stepped over.
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

    /// Calls `body` at each element of the array that follows, likewise.
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

    /// The ranges of the next member's name, between its quotes, and of its value.
    mutating func member() -> (key: Range<Int>, value: Range<Int>)? {
        guard let key = string(), skip(.colon), let value = value() else { return nil }
        return (key.lowerBound + 1..<key.upperBound - 1, value)
    }

    /// Whether those bytes are a name of the source.
    func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
        return memcmp(start + range.lowerBound, name.utf8Start, range.count) == 0
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex, bytes[position].isJSONSpace { position += 1 }
    }

    /// Where the value that begins there ends; nil if it does not end, or there is none.
    ///
    /// Brackets must match in kind. Nesting deeper than 64, twice what the daemon takes, counts as no value.
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
                    // What lies from a quote to the next is in a string; so is the first byte if the word before ended in one.
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
            // The words with escapes, and what is left of the last one, a byte at a time.
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

    /// Which brackets are open.
    private struct Levels {
        private(set) var depth = 0
        /// One bit a level, the innermost lowest: set where the level is an object.
        private var kinds: UInt64 = 0

        /// False where the bracket closes none of its kind, or opens one too many.
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

/// Eight bytes looked at together. What is found is a bit a byte, the lowest for the first.
private struct EightBytes {
    private let word: UInt64
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) {
        let raw = UnsafeRawBufferPointer(bytes)
        word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    @inline(__always) func places(of byte: UInt8) -> UInt64 { Self.places(of: byte, in: word) }

    /// Brackets and braces: they differ by one bit.
    @inline(__always) var brackets: UInt64 {
        let folded = word | Self.ones &* 0x20
        return Self.places(of: .openBrace, in: folded) | Self.places(of: .closeBrace, in: folded)
    }

    /// The bytes from each quote up to the one that closes it, where no quote is escaped.
    @inline(__always) func insideQuotes(_ isInside: Bool) -> UInt64 {
        var places = places(of: .quote)
        places ^= places << 1
        places ^= places << 2
        places ^= places << 4
        return (isInside ? ~places : places) & 0xFF
    }

    /// How many bytes come before the first quote or backslash.
    @inline(__always) var bytesOfPlainText: Int {
        let (quote, backslash) = (word ^ Self.ones &* 0x22, word ^ Self.ones &* 0x5C)
        // The top bit of each zero; above the first one some marks are false.
        let marks = (quote &- Self.ones) & ~quote | (backslash &- Self.ones) & ~backslash
        return (marks & (Self.ones &* 0x80)).trailingZeroBitCount >> 3
    }

    @inline(__always) private static func places(of byte: UInt8, in word: UInt64) -> UInt64 {
        let other = word ^ (ones &* UInt64(byte))
        let low = ones &* 0x7F
        // The top bit of each byte that is the same.
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

    /// Whether a number or a word before it ends there.
    fileprivate var endsJSONWord: Bool {
        self == .comma || self == .closeBrace || self == .closeBracket || isJSONSpace
    }
    var isJSONBracket: Bool {
        self == .openBrace || self == .closeBrace || self == .openBracket || self == .closeBracket
    }
    @inlinable package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || isJSONLineBreak }
    @inlinable package var isJSONLineBreak: Bool { self == 0x0a || self == 0x0d }
}
