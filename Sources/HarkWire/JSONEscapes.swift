/// Characters that need an escape in a JSON string: quotes, backslashes and control characters (RFC 8259, section 7).
enum JSONEscapes {
    static func isNeeded(for byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Finds the first byte to escape among eight, in little-endian order: the lowest bit set is the top bit of that
    /// byte; 0 if there is none.
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

    /// Returns the last one to seven bytes of a text in little-endian order, padded with spaces, which need no escape.
    ///
    /// - Parameter count: The length of the text. If it is less than eight, `rest` is all of it.
    @inline(__always) static func lastBytes(_ rest: Int, of base: UnsafeRawPointer, _ count: Int) -> UInt64 {
        let blanks: UInt64 = 0x2020_2020_2020_2020 &<< UInt64(8 &* rest)
        if count >= 8 {
            let word = base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self).littleEndian
            return word &>> UInt64(64 &- 8 &* rest) | blanks
        }
        // The two halves may overlap, where both have the same bytes.
        if count >= 4 {
            let first = base.loadUnaligned(as: UInt32.self).littleEndian
            let last = base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self).littleEndian
            return UInt64(first) | UInt64(last) &<< UInt64(8 &* (count &- 4)) | blanks
        }
        let first = UInt64(base.load(as: UInt8.self))
        guard count > 1 else { return first | blanks }
        let last = base.loadUnaligned(fromByteOffset: count &- 2, as: UInt16.self).littleEndian
        return first | UInt64(last) &<< UInt64(8 &* (count &- 2)) | blanks
    }

    /// Writes the escape of a byte, at most six bytes.
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
