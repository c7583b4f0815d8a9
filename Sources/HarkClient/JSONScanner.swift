import Glibc

/// Steps over JSON values in bytes; every position it returns is an index of those.
///
/// Invariant: `position` lies between the ends; a step that finds nothing returns nil and may have moved.
struct JSONScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var position = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Skips white space and then that byte; false, and only the white space skipped, if another byte stands there.
    mutating func skip(_ byte: UInt8) -> Bool {
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
    mutating func value() -> Range<Int>? {
        skipSpace()
        let start = position
        guard let length = Self.lengthOfValue(UnsafeBufferPointer(rebasing: bytes[start...])) else { return nil }
        position += length
        return start..<position
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

    /// How many bytes the value at the start takes; nil if it does not end, or there is none.
    ///
    /// Brackets must match in kind. Nesting deeper than 64, twice what the daemon takes, counts as no value.
    private static func lengthOfValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        switch first {
        case .quote: return lengthOfString(bytes, from: 0)
        case .openBrace, .openBracket: return lengthOfContainer(bytes)
        default:
            let end = bytes.firstIndex { $0 == .comma || $0 == .closeBrace || $0 == .closeBracket || $0.isJSONSpace }
            return end == 0 ? nil : end ?? bytes.count
        }
    }

    private static func lengthOfContainer(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var levels = Levels()
        var isInString = false
        var at = 0
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

    private static func lengthOfString(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var at = start + 1
        while at < bytes.count {
            if at + 8 <= bytes.count {
                let word = EightBytes(bytes, at)
                let places = word.places(of: .quote) | word.places(of: .backslash)
                guard places != 0 else {
                    at += 8
                    continue
                }
                at += places.trailingZeroBitCount
            }
            switch bytes[at] {
            case .quote: return at + 1 - start
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

    var isJSONBracket: Bool {
        self == .openBrace || self == .closeBrace || self == .openBracket || self == .closeBracket
    }
    @inlinable package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || isJSONLineBreak }
    @inlinable package var isJSONLineBreak: Bool { self == 0x0a || self == 0x0d }
}
