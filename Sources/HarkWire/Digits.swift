extension [UInt8] {
    /// Appends the digits of a number.
    package mutating func append(number: UInt64) {
        append(addingCapacity: 20) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                count = Digits.write(number, to: start)
            }
        }
    }
}

/// Decimal digits of integers, two at a time.
enum Digits {
    private static let pairs: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
        5556575859606162636465666768697071727374757677787980818283848586878889909192939495969798\
        99
        """

    /// Writes `value`. Returns the number of digits (at most 20).
    static func write(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let count = self.count(value)
        var rest = value
        var end = start + count
        while rest >= 100 {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
            end -= 2
            writePair(Int(truncatingIfNeeded: remainder), to: end)
            rest = quotient
        }
        if rest >= 10 {
            writePair(Int(truncatingIfNeeded: rest), to: start)
        } else {
            start[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
        }
        return count
    }

    /// Writes a number from 0 to 99 as two digits.
    static func writePair(_ value: Int, to start: UnsafeMutablePointer<UInt8>) {
        start[0] = pairs.utf8Start[2 &* value]
        start[1] = pairs.utf8Start[2 &* value &+ 1]
    }

    private static func count(_ value: UInt64) -> Int {
        var rest = value
        var count = 1
        while rest >= 10_000 {
            rest /= 10_000
            count += 4
        }
        return count + (rest >= 1_000 ? 3 : rest >= 100 ? 2 : rest >= 10 ? 1 : 0)
    }
}
