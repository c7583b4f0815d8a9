extension Timestamp {
    static let textLength = 24
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Appends ISO 8601 in UTC with milliseconds: `2026-11-21T11:08:00.123Z`.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: Self.textLength) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                write(to: start)
                count = Self.textLength
            }
        }
    }

    /// Writes `textLength` bytes.
    func write(to start: UnsafeMutablePointer<UInt8>) {
        var days = milliseconds / Self.millisecondsPerDay
        var rest = Int(milliseconds % Self.millisecondsPerDay)
        if rest < 0 {
            days -= 1
            rest += Int(Self.millisecondsPerDay)
        }
        let date = CivilDate(daysSince1970: days)
        Digits.writePair(Int(date.year) / 100, to: start)
        Digits.writePair(Int(date.year) % 100, to: start + 2)
        start[4] = UInt8(ascii: "-")
        Digits.writePair(Int(date.month), to: start + 5)
        start[7] = UInt8(ascii: "-")
        Digits.writePair(Int(date.day), to: start + 8)
        start[10] = UInt8(ascii: "T")
        Digits.writePair(rest / 3_600_000, to: start + 11)
        start[13] = UInt8(ascii: ":")
        Digits.writePair(rest / 60_000 % 60, to: start + 14)
        start[16] = UInt8(ascii: ":")
        Digits.writePair(rest / 1_000 % 60, to: start + 17)
        start[19] = UInt8(ascii: ".")
        start[20] = UInt8(ascii: "0") + UInt8(rest % 1_000 / 100)
        Digits.writePair(rest % 100, to: start + 21)
        start[23] = UInt8(ascii: "Z")
    }
}

extension Timestamp: FixedText {}

extension JSONWriter {
    package mutating func timestamp(_ value: Timestamp) { fixed(value) }
}
