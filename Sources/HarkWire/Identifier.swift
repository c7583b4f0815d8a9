/// A UUID: the id of an event, a session or a presentation.
///
/// Ids from `Generator` are version 7, so they sort by creation time. Ids from elsewhere may be of any version. The
/// text is 8-4-4-4-12 hexadecimal digits.
package struct Identifier: Hashable, Sendable {
    /// The first eight bytes, as a big-endian number.
    package let high: UInt64
    /// The last eight bytes, as a big-endian number.
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The creation time; nil for versions other than 7, which do not contain it.
    package var time: Timestamp? {
        guard high >> 12 & 0xF == 7 else { return nil }
        return Timestamp(milliseconds: Int64(high >> 16))
    }

    /// Parses a UUID in either case; nil if the text is not one.
    package init?(_ text: String) {
        var text = text
        guard let identifier = text.withUTF8({ Identifier(utf8: $0) }) else { return nil }
        self = identifier
    }

    package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.textLength else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for index in 0..<Self.textLength {
            if Self.isHyphen(index) {
                guard text[index] == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let nibble = Hex.value(text[index]) else { return nil }
            if index < Self.middle {
                words.0 = words.0 << 4 | nibble
            } else {
                words.1 = words.1 << 4 | nibble
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// Appends the 36 lower-case characters.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: Self.textLength) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                write(to: start)
                count = Self.textLength
            }
        }
    }

    static let textLength = 36
    /// The index of the hyphen between the two words.
    private static let middle = 18

    private static func isHyphen(_ index: Int) -> Bool {
        index == 8 || index == 13 || index == 18 || index == 23
    }

    /// Writes `textLength` bytes.
    func write(to start: UnsafeMutablePointer<UInt8>) {
        let text = UnsafeMutableRawPointer(start)
        func put(_ digits: UInt64, _ first: Int, _ second: Int) {
            text.storeBytes(of: UInt32(truncatingIfNeeded: digits), toByteOffset: first, as: UInt32.self)
            text.storeBytes(of: UInt32(truncatingIfNeeded: digits &>> 32), toByteOffset: second, as: UInt32.self)
        }
        put(Hex.eightDigits(UInt32(truncatingIfNeeded: high &>> 32)), 0, 4)
        put(Hex.eightDigits(UInt32(truncatingIfNeeded: high)), 9, 14)
        put(Hex.eightDigits(UInt32(truncatingIfNeeded: low &>> 32)), 19, 24)
        put(Hex.eightDigits(UInt32(truncatingIfNeeded: low)), 28, 32)
        start[8] = UInt8(ascii: "-")
        start[13] = UInt8(ascii: "-")
        start[18] = UInt8(ascii: "-")
        start[23] = UInt8(ascii: "-")
    }
}

extension Identifier: Comparable {
    package static func < (left: Identifier, right: Identifier) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension Identifier: FixedText {}

extension JSONWriter {
    package mutating func identifier(_ value: Identifier) { fixed(value) }
}
