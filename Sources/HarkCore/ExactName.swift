/// A name that is compared byte for byte, as in the store.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ExactName, right: ExactName) -> Bool { left.text.hasSameBytes(as: right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactName: Comparable {
    package static func < (left: ExactName, right: ExactName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Dictionary where Key == ExactName {
    /// The value of a name, compared byte for byte.
    package subscript(name: String) -> Value? {
        get { self[ExactName(name)] }
        _modify { yield &self[ExactName(name)] }
    }
}

extension ExactName: CustomStringConvertible {
    package var description: String { text }
}
