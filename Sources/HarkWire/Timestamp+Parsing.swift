extension Timestamp {
    /// Parses ISO 8601 in the form of RFC 3339: date, `T`, time to the second, optionally 1 to 9 digits of fraction,
    /// and `Z` or an offset `±hh:mm`.
    ///
    /// The fraction is truncated to milliseconds. Nil for other texts, for days that the calendar does not have, for
    /// leap seconds, and for times outside the years 0000 to 9999 in UTC.
    package init?(_ text: String) {
        var text = text
        guard let timestamp = text.withUTF8({ Timestamp(utf8: $0) }) else { return nil }
        self = timestamp
    }

    package init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        var reader = FieldReader(text: text)
        guard
            let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60,
            let fraction = reader.milliseconds(),
            let offset = reader.offsetMinutes(), reader.isAtEnd
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let minutes = (date.daysSince1970 * 24 + hour) * 60 + minute - offset
        let milliseconds = (minutes * 60 + second) * 1_000 + fraction
        self.init(milliseconds: milliseconds)
        guard self.milliseconds == milliseconds else { return nil }
    }
}

/// Parses the fields of a timestamp from left to right.
private struct FieldReader {
    let text: UnsafeBufferPointer<UInt8>
    var index = 0

    var isAtEnd: Bool { index == text.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard !isAtEnd, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    mutating func digit() -> Int64? {
        guard !isAtEnd, case let value = text[index] &- UInt8(ascii: "0"), value < 10 else { return nil }
        index += 1
        return Int64(value)
    }

    mutating func number(digits count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Parses the fraction in milliseconds; 0 if there is none, nil if it is malformed.
    mutating func milliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            count += 1
            if count <= 3 { value = value * 10 + digit }
        }
        guard (1...9).contains(count) else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// Parses the offset in minutes east of UTC.
    mutating func offsetMinutes() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60 else {
            return nil
        }
        return sign * (hour * 60 + minute)
    }
}
