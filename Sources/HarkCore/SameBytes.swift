/// Byte-for-byte comparison of names and ids, as in the store and the archive tree. `==` treats a precomposed letter
/// and the same letter made of two scalars as equal.
extension String {
    package func hasSameBytes(as other: String) -> Bool {
        // Most compared strings are short, and then stored in these bits. The cast traps unless a string is two words.
        // Equal words mean equal bytes, however they are stored; other strings are compared below.
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
    /// Compares words; the last one may overlap the one before. Most comparisons are of names and keys, for which a
    /// call of memcmp(3) costs more.
    @inlinable package func hasSameBytes(as other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard let mine = UnsafeRawPointer(baseAddress), let theirs = UnsafeRawPointer(other.baseAddress) else {
            return true
        }
        func isSame<Word: FixedWidthInteger & BitwiseCopyable>(_ place: Int, _ type: Word.Type) -> Bool {
            mine.loadUnaligned(fromByteOffset: place, as: type) == theirs.loadUnaligned(fromByteOffset: place, as: type)
        }
        if count >= 8 {
            var place = 0
            while place < count &- 8 {
                guard isSame(place, UInt64.self) else { return false }
                place &+= 8
            }
            return isSame(count &- 8, UInt64.self)
        }
        if count >= 4 { return isSame(0, UInt32.self) && isSame(count &- 4, UInt32.self) }
        return count == 0
            || isSame(0, UInt8.self) && isSame(count &>> 1, UInt8.self) && isSame(count &- 1, UInt8.self)
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
