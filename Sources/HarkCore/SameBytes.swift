/// Names and ids are compared byte for byte, as the store and the archive tree do it. For `==` a precomposed letter and
/// the same one made of two characters are equal.
extension String {
    package func hasSameBytes(as other: String) -> Bool {
        // Most that are compared are short, and then they lie in these bits. A string is two words, or the cast would trap;
        // what has the same ones has the same bytes, whatever they mean, and others are compared below.
        let bits = (unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self))
        if bits.0 == bits.1 { return true }
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.hasSameBytes(as: $0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.hasSameBytes(as: other) } ?? utf8.elementsEqual(other)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Eight at a time, of which the last may have been looked at before.
    fileprivate func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return elementsEqual(other) }
        let (mine, theirs) = (UnsafeRawBufferPointer(self), UnsafeRawBufferPointer(other))
        var place = 0
        while true {
            let word = mine.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard word == theirs.loadUnaligned(fromByteOffset: place, as: UInt64.self) else { return false }
            if place == count - 8 { return true }
            place = Swift.min(place + 8, count - 8)
        }
    }
}

extension String? {
    package func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (let mine?, let other?): mine.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }
}
