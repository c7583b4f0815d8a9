/// Writes JSON into memory that is known to have room for all of it, for what is written a hundred thousand times a second.
///
/// Nothing is checked, not even where commas belong: `JSONWriter.unchecked(upTo:)` gives the memory, and whoever asks for it
/// says the bound.
package struct UncheckedJSONWriter {
    /// Where the next byte goes.
    @usableFromInline var end: UnsafeMutablePointer<UInt8>
    /// The text becomes the content of a JSON string: quotes and backslashes of its own are written as that wants them.
    @usableFromInline let isNested: Bool

    @usableFromInline init(_ start: UnsafeMutablePointer<UInt8>, isNested: Bool = false) {
        end = start
        self.isNested = isNested
    }

    /// A string of so many bytes takes at most so many here: each may need `\\u00XX`, and there are the quotes.
    @inlinable package static func bound(ofString count: Int) -> Int { 7 &* count &+ 4 &+ slack }

    /// Whole words are written, of which the last may be of no use.
    @usableFromInline static var slack: Int { 8 }

    /// Writes text as it is.
    @inlinable @inline(__always) package mutating func literal(_ text: StaticString) {
        end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        end += text.utf8CodeUnitCount
    }

    /// The same, in the spelling it has within a string where it is nested.
    @inlinable @inline(__always) package mutating func literal(_ text: StaticString, nested: StaticString) {
        if isNested { literal(nested) } else { literal(text) }
    }

    @inlinable @inline(__always) package mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    /// Writes a string of well-formed UTF-8. Only what RFC 8259 demands is escaped.
    @inlinable package mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        quote()
        if let base = text.baseAddress { escaped(base, text.count) }
        quote()
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string(utf8: $0) }
    }

    @inlinable @inline(__always) mutating func quote() {
        if isNested { byte(UInt8(ascii: "\\")) }
        byte(UInt8(ascii: "\""))
    }

    /// The content of a string. Eight bytes at a time are copied and looked at, and so is what is left: most keys are no longer.
    @usableFromInline mutating func escaped(_ base: UnsafePointer<UInt8>, _ count: Int) {
        let base = UnsafeRawPointer(base)
        var index = 0
        while index &+ 8 <= count {
            let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            UnsafeMutableRawPointer(end).storeBytes(of: word, as: UInt64.self)
            let marks = JSONEscapes.marks(in: word.littleEndian)
            guard marks != 0 else {
                index &+= 8
                end += 8
                continue
            }
            let clean = marks.trailingZeroBitCount &>> 3
            index &+= clean
            end += clean
            escape(base.load(fromByteOffset: index, as: UInt8.self))
            index &+= 1
        }
        let rest = count &- index
        guard rest > 0 else { return }
        let word = JSONEscapes.lastBytes(rest, of: base, count)
        if JSONEscapes.marks(in: word) == 0 {
            UnsafeMutableRawPointer(end).storeBytes(of: word.littleEndian, as: UInt64.self)
            end += rest
            return
        }
        while index < count {
            let next = base.load(fromByteOffset: index, as: UInt8.self)
            if JSONEscapes.isNeeded(for: next) { escape(next) } else { byte(next) }
            index &+= 1
        }
    }

    /// Writes at most seven bytes for one that has to be escaped.
    private mutating func escape(_ next: UInt8) {
        guard isNested else { return JSONEscapes.write(next, to: &end) }
        let start = end
        JSONEscapes.write(next, to: &end)
        // Its backslash is escaped, and a quote or backslash behind that one as well.
        let second = start[1]
        let isPlain = second != UInt8(ascii: "\"") && second != UInt8(ascii: "\\")
        let more = isPlain ? 1 : 2
        (start + 1 + more).update(from: start + 1, count: end - start - 1)
        start[1] = UInt8(ascii: "\\")
        if !isPlain { start[2] = UInt8(ascii: "\\") }
        end += more
    }

    package static var intBound: Int { 20 }

    package mutating func int(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        end += Digits.write(value.magnitude, to: end)
    }

    package mutating func uint(_ value: UInt64) { end += Digits.write(value, to: end) }

    /// A number takes at most so many bytes.
    package static var doubleBound: Int { 32 }

    /// Writes the shortest text that reads back as the same number, with a point or an exponent; null if it is not finite.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return literal("null") }
        guard !decimal(value) else { return }
        var text = value.description
        text.withUTF8 { end.update(from: $0.baseAddress ?? UnsafePointer(end), count: $0.count) }
        end += text.utf8.count
    }

    /// Writes a number of at most six decimals. Where a decimal of at most fifteen digits reads as a number, no other one of
    /// as few does, so the shortest text of the number is that one without zeros at its end.
    ///
    /// - Returns: false, and nothing written, for other numbers, and where the text would have an exponent.
    private mutating func decimal(_ value: Double) -> Bool {
        let magnitude = value.magnitude
        guard magnitude < 1e9, magnitude >= 0.001 else { return false }
        let millionths = (magnitude * 1_000_000).rounded()
        guard millionths / 1_000_000 == magnitude else { return false }
        let (whole, rest) = UInt64(millionths).quotientAndRemainder(dividingBy: 1_000_000)
        if value < 0 { byte(UInt8(ascii: "-")) }
        end += Digits.write(whole, to: end)
        byte(UInt8(ascii: "."))
        Digits.writePair(Int(rest / 10_000), to: end)
        Digits.writePair(Int(rest / 100 % 100), to: end + 2)
        Digits.writePair(Int(rest % 100), to: end + 4)
        var count = 6
        while count > 1, end[count - 1] == UInt8(ascii: "0") { count -= 1 }
        end += count
        return true
    }

    package mutating func bool(_ value: Bool) { if value { literal("true") } else { literal("false") } }

    /// An identifier with its quotes, 38 bytes.
    package mutating func identifier(_ value: Identifier) { fixed(value) }

    /// A time with its quotes, 26 bytes.
    package mutating func timestamp(_ value: Timestamp) { fixed(value) }

    private mutating func fixed(_ value: some FixedText) {
        quote()
        value.write(to: end)
        end += type(of: value).textLength
        quote()
    }
}
