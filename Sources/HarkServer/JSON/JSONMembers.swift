/// The members of an object, in place; valid as long as the node they came from.
package struct JSONMembers: Sequence, IteratorProtocol {
    package struct Member {
        package let key: UnsafeBufferPointer<UInt8>
        package let value: JSONNode
    }

    package let tape: UnsafePointer<UInt64>
    package let strings: UnsafePointer<UInt8>
    package var index: Int

    package mutating func next() -> Member? {
        let key = JSONNode(tape: tape, strings: strings, index: index)
        guard key.tag == JSONNode.Tag.string else { return nil }
        let value = JSONNode(tape: tape, strings: strings, index: index &+ 1)
        index = value.nextIndex
        return Member(key: key.text, value: value)
    }
}

/// The elements of an array, in place; valid as long as the node they came from.
package struct JSONElements: Sequence, IteratorProtocol {
    package let tape: UnsafePointer<UInt64>
    package let strings: UnsafePointer<UInt8>
    package var index: Int

    package mutating func next() -> JSONNode? {
        let element = JSONNode(tape: tape, strings: strings, index: index)
        guard element.tag != JSONNode.Tag.arrayEnd else { return nil }
        index = element.nextIndex
        return element
    }
}
