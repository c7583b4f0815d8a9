import HarkWire

/// Finds what simdjson accepts and Hark does not: duplicate keys, integers beyond Int64, deep nesting.
///
/// Every value is read at most twice, so the time is linear in the length of any line.
struct TapeInspector {
    /// The maximum depth of arrays and objects; the outermost is level 1.
    let maxNesting: Int

    func inspect(_ root: JSONNode) throws(RequestFault) {
        try inspect(root, depth: 0)
    }

    private func inspect(_ node: JSONNode, depth: Int) throws(RequestFault) {
        switch node.tag {
        case JSONNode.Tag.object:
            guard depth < maxNesting else { throw RequestFault(kind: .tooDeep(limit: maxNesting)) }
            let members = JSONMembers(tape: node.tape, strings: node.strings, index: node.index &+ 1)
            var needsInspection = false
            if let key = KeySet.duplicate(in: members, needsInspection: &needsInspection) {
                var fault = RequestFault(kind: .duplicateKey)
                fault.path.prepend(name: key)
                throw fault
            }
            // Most objects contain only strings and numbers, and so are read once.
            guard needsInspection else { return }
            for member in members where member.value.needsInspection {
                do {
                    try inspect(member.value, depth: depth &+ 1)
                } catch {
                    var fault = error
                    fault.path.prepend(name: member.key)
                    throw fault
                }
            }
        case JSONNode.Tag.array:
            guard depth < maxNesting else { throw RequestFault(kind: .tooDeep(limit: maxNesting)) }
            var index = 0
            for element in JSONElements(tape: node.tape, strings: node.strings, index: node.index &+ 1) {
                if element.needsInspection {
                    do {
                        try inspect(element, depth: depth &+ 1)
                    } catch {
                        var fault = error
                        fault.path.prepend(index: index)
                        throw fault
                    }
                }
                index &+= 1
            }
        case JSONNode.Tag.bigInt:
            throw RequestFault(kind: .integerOutOfRange)
        default:
            break
        }
    }
}

extension JSONNode {
    /// Whether the value may contain others, or be invalid.
    var needsInspection: Bool {
        switch tag {
        case Tag.object, Tag.array, Tag.bigInt: true
        default: false
        }
    }
}
