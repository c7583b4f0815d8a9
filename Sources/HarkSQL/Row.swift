import HarkClient

/// One row: an element of a list of the daemon's, in which members are looked for once and only when they are asked for.
final class Row {
    private var members: MemberNames
    private var element = JSONText("{}")
    private var values: [JSONText?]
    private var isRead = false

    /// - Parameter members: in the order in which the daemon writes them, some left out.
    init(_ members: [StaticString]) {
        self.members = MemberNames(members.map(\.description))
        values = Array(repeating: nil, count: members.count)
    }

    func take(_ element: JSONText) {
        self.element = element
        isRead = false
    }

    /// The member in that place of the table's list; nil where the element has none.
    subscript(_ member: Int) -> JSONText? {
        if !isRead { read() }
        return values[member]
    }

    private func read() {
        isRead = true
        for place in values.indices { values[place] = nil }
        element.forEachMember { key, value in
            if let place = key.withUnsafeBufferPointer({ members.place(of: $0[...]) }) { values[place] = value }
            return true
        }
    }
}
