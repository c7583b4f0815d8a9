package import HarkWire

extension JSONWriter {
    /// Writes a parsed value as the same JSON without white space and with no more escapes than needed.
    package mutating func node(_ node: JSONNode) {
        switch node.kind {
        case .null: null()
        case .bool: bool(node.tag == JSONNode.Tag.yes)
        case .int: int(Int64(bitPattern: node.tape[node.index + 1]))
        case .bigInt: uint(node.tape[node.index + 1])
        case .double: double(Double(bitPattern: node.tape[node.index + 1]))
        case .string: string(utf8: node.text)
        case .array:
            beginArray()
            for element in JSONElements(tape: node.tape, strings: node.strings, index: node.index + 1) {
                self.node(element)
            }
            endArray()
        case .object:
            beginObject()
            for member in JSONMembers(tape: node.tape, strings: node.strings, index: node.index + 1) {
                key(utf8: member.key)
                self.node(member.value)
            }
            endObject()
        }
    }
}
