/// Names and ids are compared byte for byte, as the store and the archive tree do it. For `==` a precomposed letter and
/// the same one made of two characters are equal.
extension String {
    package func hasSameBytes(as other: String) -> Bool {
        // Most that are compared are short, and then they lie in these bits; what has the same bits is the same.
        let bits = (unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self))
        if bits.0 == bits.1 { return true }
        let isSame = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { mine.count == $0.count && mine.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
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
