/// A value whose text has a fixed length and only ASCII that needs no escapes in JSON.
protocol FixedText: CustomStringConvertible {
    static var textLength: Int { get }

    /// Writes `textLength` bytes.
    func write(to start: UnsafeMutablePointer<UInt8>)
}

extension FixedText {
    package var description: String {
        String(unsafeUninitializedCapacity: Self.textLength) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            write(to: start)
            return Self.textLength
        }
    }
}

extension JSONWriter {
    mutating func fixed(_ value: some FixedText) {
        let length = type(of: value).textLength
        appendValue(upTo: length + 2) { start in
            start[0] = UInt8(ascii: "\"")
            value.write(to: start + 1)
            start[length + 1] = UInt8(ascii: "\"")
            return length + 2
        }
    }
}
