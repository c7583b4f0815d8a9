import HarkClient

/// One row: an element of a list of the daemon's, in which members are looked for once and only when they are asked for.
final class Row {
    private let members: [StaticString]
    private var element = JSONText("{}")
    private var values: [JSONText?]
    private var isRead = false

    init(_ members: [StaticString]) {
        self.members = members
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
        // The daemon writes members in the order of the list, some left out.
        var expected = 0
        element.forEachMember { key, value in
            var place = expected
            for _ in members.indices {
                if place == members.count { place = 0 }
                if key.isEqual(members[place]) {
                    values[place] = value
                    expected = place + 1
                    break
                }
                place += 1
            }
            return true
        }
    }
}
