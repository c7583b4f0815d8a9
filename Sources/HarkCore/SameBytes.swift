/// Names and ids are compared byte for byte, as the store and the archive tree do it. For `==` a precomposed letter and
/// the same one made of two characters are equal.
extension String {
    package func hasSameBytes(as other: String) -> Bool {
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
