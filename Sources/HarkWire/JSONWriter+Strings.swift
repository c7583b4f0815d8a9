extension JSONWriter {
    /// Writes a member's name, which must not need escapes.
    package mutating func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        let source = name.utf8Start
        appendValue(upTo: count + 3) { start in
            start[0] = UInt8(ascii: "\"")
            (start + 1).update(from: source, count: count)
            start[count + 1] = UInt8(ascii: "\"")
            start[count + 2] = UInt8(ascii: ":")
            return count + 3
        }
    }

    package mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes a member's name, given as well-formed UTF-8.
    package mutating func key(utf8 name: UnsafeBufferPointer<UInt8>) {
        string(utf8: name)
        bytes.append(UInt8(ascii: ":"))
    }

    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { string(utf8: $0) }
    }

    /// Writes a string of well-formed UTF-8. Escapes only what RFC 8259 requires.
    package mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard let source = text.baseAddress else { return string(utf8: Self.empty) }
        let count = text.count
        let clean = Self.cleanLength(text)
        guard clean == count else { return escape(text) }
        appendValue(upTo: count + 2) { start in
            start[0] = UInt8(ascii: "\"")
            (start + 1).update(from: source, count: count)
            start[count + 1] = UInt8(ascii: "\"")
            return count + 2
        }
    }

    private static var empty: UnsafeBufferPointer<UInt8> {
        let text: StaticString = ""
        return UnsafeBufferPointer(start: text.utf8Start, count: 0)
    }

    /// Escapes in pieces, because the escaped text may need six times its length.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var rest = text
        while let base = rest.baseAddress, !rest.isEmpty {
            let count = min(rest.count, 1_024)
            append(upTo: UncheckedJSONWriter.bound(ofString: count)) { $0.escaped(base, count) }
            rest = UnsafeBufferPointer(rebasing: rest[count...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns the number of bytes before the first that needs an escape.
    private static func cleanLength(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard let base = UnsafeRawPointer(text.baseAddress) else { return 0 }
        var index = 0
        while index &+ 8 <= text.count {
            let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            let marks = JSONEscapes.marks(in: word)
            if marks != 0 { return index &+ marks.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < text.count, !JSONEscapes.isNeeded(for: text[index]) { index &+= 1 }
        return index
    }
}
