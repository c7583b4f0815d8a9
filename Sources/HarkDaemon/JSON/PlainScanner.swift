import CSimdJSON
import HarkWire

/// Goes once through a line of JSON that is written in the plainest way: one object, texts without escapes, numbers of few
/// digits and no exponent, and no white space but single bytes of it.
///
/// It gives up at whatever is not of that form, and at all that is wrong, without saying why; and it looks for no key twice.
/// What it gives is what simdjson would, of any bytes at all.
struct PlainScanner {
    enum Value {
        case text(UnsafeBufferPointer<UInt8>)
        case integer(Int64)
        case double(Double)
        case bool(Bool)
    }

    /// Where it is; a text that does not end may have led up to eight bytes behind `end`, where nothing is taken any more.
    private var at: UnsafePointer<UInt8>
    private let start: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    /// An object has begun, and no member of it was seen yet.
    private var isFirst = false
    /// It came to nothing that it gives up at.
    private(set) var isPlain = true
    /// The words that texts are in, one over the other: where none has its high bits set, all is ASCII.
    private var words: UInt64 = 0

    /// - Parameter line: has `JSONTape.padding` readable bytes behind it.
    @inline(__always)
    init?(_ line: UnsafeBufferPointer<UInt8>) {
        guard let start = line.baseAddress else { return nil }
        (self.start, at) = (start, start)
        end = start + line.count
    }

    /// Whether the line was plain to its end, which is where it is.
    var isThrough: Bool {
        guard isPlain, at == end else { return false }
        return words & PlainScanner.highs == 0 || hark_json_is_utf8(start, end - start)
    }

    var bytesLeft: Int { end - at }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var highs: UInt64 { 0x8080_8080_8080_8080 }
}

extension PlainScanner {
    /// Passes a byte if it is there, and a space behind it.
    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < end, at.pointee == byte else { return false }
        at += 1
        passSpace()
        return true
    }

    /// Goes into an object; false where there is none.
    @inline(__always)
    mutating func open() -> Bool {
        isFirst = true
        return take(UInt8(ascii: "{"))
    }

    /// The key of the next member, whose value comes next; nil behind the last one of its object, which is left.
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
        // Of what is looked for in a word the first is found for sure, which is all that is asked ("Hacker's Delight", 6-1).
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

    /// A text of at most so many bytes; what is wrong in longer ones would take long to mend.
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
    /// An integer of so many digits is one of 64 bits; and a number of so many is the quotient of two doubles that are exact, and
    /// so the double next to it (W. Clinger, "How to read floating point numbers accurately").
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

    /// - Returns: how many there are; beyond 18 of them the number is worth nothing.
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
