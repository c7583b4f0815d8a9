import CSimdJSON
import HarkWire

/// Scans, in one pass, a line of JSON in its simplest form: one object, strings without escapes, numbers of few digits
/// and no exponent, and white space only as single bytes.
///
/// It gives up at anything else, valid or not, without a reason, and does not look for duplicate keys. For any bytes,
/// its results equal those of simdjson.
struct PlainScanner {
    enum Value {
        case text(UnsafeBufferPointer<UInt8>)
        case integer(Int64)
        case double(Double)
        case bool(Bool)
    }

    /// The position; an unterminated string may move it up to eight bytes behind `end`, where nothing is read any more.
    private var at: UnsafePointer<UInt8>
    private let start: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    /// An object has been opened, and no member of it was read yet.
    private var isFirst = false
    /// Whether the input was plain so far.
    private(set) var isPlain = true
    /// All words that contain strings, combined by OR: if no high bit is set, all is ASCII.
    private var words: UInt64 = 0

    /// - Parameter line: Must be followed by `JSONTape.padding` readable bytes.
    @inline(__always)
    init?(_ line: UnsafeBufferPointer<UInt8>) {
        guard let start = line.baseAddress else { return nil }
        (self.start, at) = (start, start)
        end = start + line.count
    }

    /// Whether the whole line was read and was plain.
    var isThrough: Bool {
        guard isPlain, at == end else { return false }
        return words & PlainScanner.highs == 0 || hark_json_is_utf8(start, end - start)
    }

    var bytesLeft: Int { end - at }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }
}

extension PlainScanner {
    /// Consumes the byte if it is next, and a space behind it.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < end, at.pointee == byte else { return false }
        at += 1
        passSpace()
        return true
    }

    /// Enters an object; false if there is none.
    @inline(__always)
    mutating func open() -> Bool {
        isFirst = true
        return take(UInt8(ascii: "{"))
    }

    /// The key of the next member, whose value follows; nil at the end of the object, which is then left.
    @inline(__always)
    mutating func nextKey() -> UnsafeBufferPointer<UInt8>? {
        if take(UInt8(ascii: "}")) {
            isFirst = false
            return nil
        }
        if isFirst || take(UInt8(ascii: ",")) {
            isFirst = false
            if let key = text(), take(UInt8(ascii: ":")) { return key }
        }
        isPlain = false
        return nil
    }

    @inline(__always)
    mutating func text() -> UnsafeBufferPointer<UInt8>? {
        guard at < end, at.pointee == UInt8(ascii: "\"") else { return nil }
        let content = at + 1
        at = content
        // Only the first match in a word is exact, and only the first is used ("Hacker's Delight", 6-1).
        while at < end {
            let word = UInt64(littleEndian: UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
            words |= word
            let quotes = word ^ (PlainScanner.ones &* UInt64(UInt8(ascii: "\"")))
            let escapes = word ^ (PlainScanner.ones &* UInt64(UInt8(ascii: "\\")))
            let controls = (word &- PlainScanner.ones &* 0x20) & ~word
            let found =
                ((quotes &- PlainScanner.ones) & ~quotes | (escapes &- PlainScanner.ones) & ~escapes | controls)
                & PlainScanner.highs
            guard found != 0 else {
                at += 8
                continue
            }
            at += found.trailingZeroBitCount &>> 3
            let text = UnsafeBufferPointer(start: content, count: at - content)
            return take(UInt8(ascii: "\"")) ? text : nil
        }
        at = end
        return nil
    }

    /// A string of at most this many bytes; invalid UTF-8 in longer ones would take long to repair.
    mutating func text(upTo most: Int) -> String? {
        guard let text = text(), text.count <= most else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    @inline(__always)
    mutating func value() -> Value? {
        guard at < end else { return nil }
        switch at.pointee {
        case UInt8(ascii: "\""): return text().map(Value.text)
        case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
        case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
        default: return number()
        }
    }

    private mutating func word(_ word: StaticString) -> Bool {
        guard end - at >= word.utf8CodeUnitCount,
            UnsafeBufferPointer(start: at, count: word.utf8CodeUnitCount).isEqual(word)
        else { return false }
        at += word.utf8CodeUnitCount - 1
        return take(word.utf8Start[word.utf8CodeUnitCount - 1])
    }

    mutating func requestID() -> RequestID? {
        switch value() {
        case .integer(let number): .int(number)
        case .text(let text): .string(utf8: text)
        default: nil
        }
    }
}

extension PlainScanner {
    /// The digits up to which an integer fits in 64 bits, and a number is the quotient of two exact doubles, and so the
    /// nearest double (W. Clinger, "How to read floating point numbers accurately").
    private static let mostDigits = (integer: 18, number: 15)

    private mutating func number() -> Value? {
        let isNegative = at.pointee == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var number: Int64 = 0
        let first = at
        let digits = self.digits(&number)
        guard 1...PlainScanner.mostDigits.integer ~= digits, digits == 1 || first.pointee != UInt8(ascii: "0") else {
            return nil
        }
        guard at < end, at.pointee == UInt8(ascii: ".") else {
            passSpace()
            return .integer(isNegative ? -number : number)
        }
        at += 1
        let places = self.digits(&number)
        guard places > 0, digits + places <= PlainScanner.mostDigits.number else { return nil }
        passSpace()
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let quotient = Double(number) / scale
        return .double(isNegative ? -quotient : quotient)
    }

    /// - Returns: How many there are; with more than 18, the number is invalid.
    @inline(__always)
    private mutating func digits(_ number: inout Int64) -> Int {
        let first = at
        while at < end, at.pointee &- UInt8(ascii: "0") < 10 {
            number = number &* 10 &+ Int64(at.pointee &- UInt8(ascii: "0"))
            at += 1
        }
        return at - first
    }

    @inline(__always)
    private mutating func passSpace() { if at < end, at.pointee == UInt8(ascii: " ") { at += 1 } }
}
