extension JSONWriter {
    /// Writes a member's name, which must need no escapes.
    package mutating func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        let source = name.utf8Start
        appendValue(upTo: count + 3) { start in
            start[0] = UInt8(ascii: "\"")
            (start + 1).update(from: source, count: count)
            start[count + 1] = UInt8(ascii: "\"")
            start[count + 2] = UInt8(ascii: ":")
            return count + 3
        }
    }

    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member's name of well-formed UTF-8.
    package mutating func key(utf8 name: UnsafeBufferPointer<UInt8>) {
        string(utf8: name)
        bytes.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// Writes a string of well-formed UTF-8. Only what RFC 8259 demands is escaped.
    package mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard let source = text.baseAddress else { return string(utf8: Self.empty) }
        let count = text.count
        let clean = Self.runLength(text, from: 0)
        guard clean == count else { return escape(text, firstRun: clean) }
        appendValue(upTo: count + 2) { start in
            start[0] = UInt8(ascii: "\"")
            (start + 1).update(from: source, count: count)
            start[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    private static var empty: UnsafeBufferPointer<UInt8> {
        let text: StaticString = ""
        return UnsafeBufferPointer(start: text.utf8Start, count: 0)
    }

    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>, firstRun: Int) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        var end = firstRun
        while true {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<end]))
            if end == text.count { break }
            escape(text[end])
            start = end + 1
            end = Self.runLength(text, from: start)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        let short: UInt8
        switch byte {
        case 0x08: short = UInt8(ascii: "b")
        case 0x09: short = UInt8(ascii: "t")
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0C: short = UInt8(ascii: "f")
        case 0x0D: short = UInt8(ascii: "r")
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): short = byte
        default:
            let control: StaticString = "\\u00"
            bytes.append(contentsOf: UnsafeBufferPointer(start: control.utf8Start, count: 4))
            bytes.append(Hex.digit(byte >> 4))
            bytes.append(Hex.digit(byte & 15))
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(short)
    }

    /// The index of the first byte from `start` that must be escaped, or the end of the text.
    private static func runLength(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        guard let base = UnsafeRawPointer(text.baseAddress) else { return 0 }
        var index = start
        while index &+ 8 <= text.count {
            let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let marks = bytesToEscape(word)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < text.count, !mustEscape(text[index]) { index &+= 1 }
        return index
    }

    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Eight bytes at once: the lowest bit set is the top bit of the first byte to escape; 0 if there is none.
    ///
    /// "Has a byte less than n" and "has a byte equal to n" of Bit Twiddling Hacks: marks above the first one may be
    /// false, the first one never is.
    private static func bytesToEscape(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- ones &* 0x20) & ~word
        let equal = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (control | equal) & (ones &* 0x80)
    }
}
