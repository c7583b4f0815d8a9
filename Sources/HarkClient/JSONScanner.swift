/// Steps over JSON values in a slice of bytes; every position it returns is an index of that slice.
///
/// Invariant: `position` lies between the slice's ends; a step that finds nothing returns nil and may have moved.
struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    mutating func skip(_ count: Int) {
        position = min(position + count, bytes.endIndex)
    }

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
        let length = bytes[start...].withUnsafeBufferPointer { Self.lengthOfValue($0) }
        guard let length else { return nil }
        position += length
        return start..<position
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
        var depth = 0
        /// One bit a level, the innermost lowest: set where the level is an object.
        var kinds: UInt64 = 0
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case .quote:
                guard let length = lengthOfString(bytes, from: at) else { return nil }
                at += length
                continue
            case .openBrace, .openBracket:
                depth += 1
                guard depth <= 64 else { return nil }
                kinds = kinds << 1 | (byte == .openBrace ? 1 : 0)
            case .closeBrace, .closeBracket:
                if (kinds & 1 == 1) != (byte == .closeBrace) { return nil }
                depth -= 1
                kinds >>= 1
                if depth == 0 { return at + 1 }
            default: break
            }
            at += 1
        }
        return nil
    }

    private static func lengthOfString(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        var at = start + 1
        while at < bytes.count {
            switch bytes[at] {
            case .quote: return at + 1 - start
            case .backslash: at += 2
            default: at += 1
            }
        }
        return nil
    }
}

extension UInt8 {
    package static let quote = UInt8(ascii: "\"")
    package static let backslash = UInt8(ascii: "\\")
    package static let openBrace = UInt8(ascii: "{")
    package static let closeBrace = UInt8(ascii: "}")
    package static let openBracket = UInt8(ascii: "[")
    package static let closeBracket = UInt8(ascii: "]")
    package static let colon = UInt8(ascii: ":")
    package static let comma = UInt8(ascii: ",")
    package static let newline = UInt8(ascii: "\n")

    package var isJSONSpace: Bool { self == 0x20 || self == 0x09 || isJSONLineBreak }
    package var isJSONLineBreak: Bool { self == 0x0a || self == 0x0d }
}
