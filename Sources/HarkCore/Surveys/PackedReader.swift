import HarkWire

/// Reads arrays of plain texts and whole numbers, without spaces, as `ShowingTimes` packs them.
struct PackedReader {
    let text: UnsafeBufferPointer<UInt8>
    var place = 0

    var isAtEnd: Bool { place == text.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < text.count, text[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    mutating func plainString() -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard take("\"") else { return nil }
        let start = place
        while place < text.count, text[place] != UInt8(ascii: "\""), text[place] != UInt8(ascii: "\\") {
            place += 1
        }
        let end = place
        return take("\"") ? text[start..<end] : nil
    }

    /// A whole number, or null; nil for anything else.
    mutating func number() -> Int64?? {
        if take("n") {
            guard take("u"), take("l"), take("l") else { return nil }
            return .some(nil)
        }
        let isNegative = take("-")
        var (number, digits) = (Int64(0), 0)
        // 18 digits cannot overflow.
        while place < text.count, digits < 18, text[place] >= UInt8(ascii: "0"), text[place] <= UInt8(ascii: "9") {
            number = number * 10 + Int64(text[place] - UInt8(ascii: "0"))
            (place, digits) = (place + 1, digits + 1)
        }
        return digits == 0 ? nil : .some(isNegative ? -number : number)
    }
}

/// When a showing was postponed, until when, and whether by quiet hours, in the packed text of `ShowingTimes`:
/// `[at,until,0,at,until,1]`.
enum PackedDelays {
    /// - Returns: whether the whole text could be read.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (ShowingTimes.Delay) -> Void) -> Bool {
        var reader = PackedReader(text: text)
        guard reader.take("[") else { return false }
        while true {
            guard case let at?? = reader.number(), reader.take(","), case let until?? = reader.number(),
                reader.take(","), case let quiet?? = reader.number()
            else { return false }
            body(
                ShowingTimes.Delay(
                    at: Timestamp(milliseconds: at), until: Timestamp(milliseconds: until), isQuiet: quiet == 1))
            if reader.take("]") { return reader.isAtEnd }
            guard reader.take(",") else { return false }
        }
    }
}
