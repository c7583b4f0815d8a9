import HarkWire

/// Finds what simdjson lets pass and Hark does not: a key twice in one object, integers beyond Int64, deep nesting.
///
/// Every value is looked at twice at most. Time is in proportion to the length of the line, whatever the line is.
struct TapeInspector {
    /// How many levels of arrays and objects there may be; the outermost is the first.
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
            // Most objects have texts and numbers only, and so are gone through once.
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
    /// Whether there may be something inside, or wrong with it.
    var needsInspection: Bool {
        switch tag {
        case Tag.object, Tag.array, Tag.bigInt: true
        default: false
        }
    }
}
