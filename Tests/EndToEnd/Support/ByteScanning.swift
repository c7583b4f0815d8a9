/// Reading along a line, piece by piece.
extension ArraySlice<UInt8> {
    mutating func skip(_ literal: StaticString) -> Bool {
        let expected = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        guard starts(with: expected) else { return false }
        removeFirst(expected.count)
        return true
    }

    mutating func number() -> UInt64? {
        let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        removeFirst(digits.count)
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    mutating func identifier() -> String? {
        guard count >= 36 else { return nil }
        defer { removeFirst(36) }
        return String(decoding: prefix(36), as: UTF8.self)
    }

    /// What is before a byte; the byte is passed too. Nil when it does not come.
    mutating func take(to end: Unicode.Scalar) -> String? {
        guard let place = firstIndex(of: UInt8(ascii: end)) else { return nil }
        defer { self = self[(place + 1)...] }
        return String(decoding: self[..<place], as: UTF8.self)
    }
}
