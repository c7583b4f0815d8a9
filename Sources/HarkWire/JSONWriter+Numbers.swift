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

    /// Writes the shortest text that parses to the same number.
    ///
    /// It always has a point or an exponent, so it is never taken for an integer. Infinity and not-a-number are errors
    /// of the caller and become null, as JSON cannot express them.
    package mutating func double(_ value: Double) {
        unchecked(upTo: UncheckedJSONWriter.doubleBound) { $0.double(value) }
    }
}
