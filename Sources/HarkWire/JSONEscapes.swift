/// What a JSON string must not have as it is: quotes, backslashes and control characters (RFC 8259, section 7).
enum JSONEscapes {
    static func isNeeded(for byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Eight bytes at once, the first of the text in the lowest: the lowest bit set is the top bit of the first byte to escape;
    /// 0 if there is none.
    ///
    /// "Has a byte less than n" and "has a byte equal to n" of Bit Twiddling Hacks: marks above the first one may be
    /// false, the first one never is.
    @inline(__always) static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- ones &* 0x20) & ~word
        let equal = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (control | equal) & (ones &* 0x80)
    }

    /// Writes at most six bytes for one that has to be escaped.
    static func write(_ byte: UInt8, to end: inout UnsafeMutablePointer<UInt8>) {
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
            end.update(from: control.utf8Start, count: 4)
            end[4] = Hex.digit(byte >> 4)
            end[5] = Hex.digit(byte & 15)
            end += 6
            return
        }
        end[0] = UInt8(ascii: "\\")
        end[1] = short
        end += 2
    }
}
