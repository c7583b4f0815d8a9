/// The members of a JSON object, in insertion order.
///
/// Lookup is linear, because objects of settings and of the protocol are small. Keys set by subscript are unique. Two
/// objects are equal if they have the same members in any order.
package struct JSONObject: Sendable {
    /// A name and its value.
    package struct Member: Sendable, Hashable {
        package var key: String
        package var value: JSONValue

        package static func == (left: Member, right: Member) -> Bool {
            left.key.utf8.elementsEqual(right.key.utf8) && left.value == right.value
        }
    }

    package private(set) var members: [Member]

    package init() { members = [] }

    /// Takes the pairs as given. The caller ensures that no key occurs twice.
    package init(_ members: [(String, JSONValue)]) {
        self.members = members.map { Member(key: $0.0, value: $0.1) }
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package var keys: [String] { members.map(\.key) }

    /// The value of a key. Keys are compared byte for byte, as in the store and in requests. Setting a new key appends
    /// it, setting a known one keeps its position, and setting nil removes it.
    package subscript(key: String) -> JSONValue? {
        get { members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value }
        set {
            let index = members.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Hashable {
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        // Each value is compared once: a second comparison in another order would double the work at every level.
        if left.members.elementsEqual(right.members, by: { $0.key.utf8.elementsEqual($1.key.utf8) }) {
            return left.members.elementsEqual(right.members) { $0.value == $1.value }
        }
        let values = Dictionary(right.members.map { (Array($0.key.utf8), $0.value) }) { first, _ in first }
        return left.members.allSatisfy { values[Array($0.key.utf8)] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        // Independent of the order; each member is hashed once.
        var sum = 0
        for member in members {
            var hasher = Hasher()
            member.hash(into: &hasher)
            sum &+= hasher.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: Sequence {
    package func makeIterator() -> [Member].Iterator { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
