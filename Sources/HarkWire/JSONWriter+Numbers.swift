extension JSONWriter {
    package mutating func int(_ value: Int) { int(Int64(value)) }

    package mutating func int(_ value: Int64) {
        appendValue(upTo: 20) { start in
            guard value < 0 else { return Digits.write(value.magnitude, to: start) }
            start[0] = UInt8(ascii: "-")
            return 1 + Digits.write(value.magnitude, to: start + 1)
        }
    }

    package mutating func uint(_ value: UInt64) {
        appendValue(upTo: 20) { Digits.write(value, to: $0) }
    }

    /// Writes the shortest text that reads back as the same number.
    ///
    /// It always has a point or an exponent, so it is never taken for an integer. JSON has no word for infinity and
    /// not-a-number; they are a mistake of the caller and become null.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        var sink = ASCIISink(bytes: bytes)
        // Two owners of the array would make the append copy it.
        bytes = []
        value.write(to: &sink)
        bytes = sink.bytes
    }
}

/// Takes the standard library's text of a number as bytes, without a `String` in between.
private struct ASCIISink: TextOutputStream {
    var bytes: [UInt8]

    mutating func write(_ string: String) {
        bytes.append(contentsOf: string.utf8)
    }

    // Not in the documentation, but how the library hands over text that it has in a buffer; were it to go away, the
    // text would come through `write` at the price of a `String`.
    mutating func _writeASCII(_ buffer: UnsafeBufferPointer<UInt8>) {
        bytes.append(contentsOf: buffer)
    }
}
