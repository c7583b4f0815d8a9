import HarkClient

/// A row: an element of a daemon's list, whose members are parsed once and on demand.
final class Row {
    private var members: MemberNames
    private var element = JSONText("{}")
    private var values: [JSONText?]
    private var isRead = false

    /// - Parameter members: The members to read, in the daemon's order.
    init(_ members: [StaticString]) {
        self.members = MemberNames(members.map(\.description))
        values = Array(repeating: nil, count: members.count)
    }

    func take(_ element: JSONText) {
        self.element = element
        isRead = false
    }

    /// The member at that index of the table's list; nil if the element lacks it.
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
