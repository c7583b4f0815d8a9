import Glibc

extension UnsafeBufferPointer<UInt8> {
    /// Whether the bytes are those of a name in the source.
    package func isEqual(_ name: StaticString) -> Bool {
        isEqual(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    package func isEqual(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return true }
        return memcmp(left, right, count) == 0
    }
}
