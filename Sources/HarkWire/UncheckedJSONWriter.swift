/// Writes JSON into memory with enough room for all of it, for output written a hundred thousand times a second.
///
/// Nothing is checked, not even where commas belong. `JSONWriter.unchecked(upTo:)` provides the memory, and its caller
/// the bound.
package struct UncheckedJSONWriter {
    /// The position of the next byte.
    @usableFromInline var end: UnsafeMutablePointer<UInt8>
    /// Whether the text is the content of a JSON string, so that its quotes and backslashes are escaped.
    @usableFromInline let isNested: Bool

    @usableFromInline init(_ start: UnsafeMutablePointer<UInt8>, isNested: Bool = false) {
        end = start
        self.isNested = isNested
    }

    /// The maximum size of a string of `count` bytes: each may need `\\u00XX`, plus the quotes.
    @inlinable package static func bound(ofString count: Int) -> Int { 7 &* count &+ 4 &+ slack }

    /// Whole words are written, and the last one may have unused bytes.
    @usableFromInline static var slack: Int { 8 }

    /// Writes text unescaped.
    @inlinable @inline(__always) package mutating func literal(_ text: StaticString) {
        end.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        end += text.utf8CodeUnitCount
    }

    /// Writes text, or its escaped spelling if this is nested in a string.
    @inlinable @inline(__always) package mutating func literal(_ text: StaticString, nested: StaticString) {
        if isNested { literal(nested) } else { literal(text) }
    }

    @inlinable @inline(__always) package mutating func byte(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    /// Writes a string of well-formed UTF-8. Escapes only what RFC 8259 requires.
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

    /// Writes the content of a string. Eight bytes are copied and checked at a time, and so is the rest, since most
    /// keys are short.
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

    /// Writes the escape of a byte, at most seven bytes.
    private mutating func escape(_ next: UInt8) {
        guard isNested else { return JSONEscapes.write(next, to: &end) }
        let start = end
        JSONEscapes.write(next, to: &end)
        // Escape its backslash, and also a quote or backslash after that.
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

    /// The maximum size of a number.
    package static var doubleBound: Int { 32 }

    /// Writes the shortest text that parses to the same number, with a point or an exponent; null if it is not finite.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return literal("null") }
        guard !decimal(value) else { return }
        var text = value.description
        text.withUTF8 { end.update(from: $0.baseAddress ?? UnsafePointer(end), count: $0.count) }
        end += text.utf8.count
    }

    /// Writes a number of at most six decimals. If a decimal of at most fifteen digits parses to a number, no other as
    /// short does, so the shortest text is this one without trailing zeros.
    ///
    /// - Returns: False, with nothing written, for other numbers and for texts with an exponent.
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

    /// Writes an identifier with its quotes, 38 bytes.
    package mutating func identifier(_ value: Identifier) { fixed(value) }

    /// Writes a time with its quotes, 26 bytes.
    package mutating func timestamp(_ value: Timestamp) { fixed(value) }

    private mutating func fixed(_ value: some FixedText) {
        quote()
        value.write(to: end)
        end += type(of: value).textLength
        quote()
    }
}
