import HarkCore

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes equal a name in the source.
    package func isEqual(_ name: StaticString) -> Bool {
        hasSameBytes(as: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }
}
