/// The owner of long work: a user, and one of the user's clients.
package struct TurnOwner: Hashable, Sendable {
    package let uid: UInt32
    package let client: UInt64

    package init(uid: UInt32, client: UInt64) {
        self.uid = uid
        self.client = client
    }

    /// The daemon itself, with an id that no user has.
    package static let daemon = TurnOwner(uid: .max, client: 0)
}

/// Waiting work in turns: the user with the least recent use comes first; users with equal use alternate, and so do the
/// clients of one user. Work of one client keeps its order.
struct TurnQueue<Element> {
    private struct Line {
        var elements = Queue<Element>()
    }

    private struct User {
        var lines: [UInt64: Line] = [:]
        /// Clients with waiting work, the next first.
        var order: ArraySlice<UInt64> = []

        mutating func append(_ element: Element, of client: UInt64) {
            if lines[client] == nil { order.append(client) }
            lines[client, default: Line()].elements.append(element)
        }

        mutating func takeNext() -> Element? {
            guard let client = order.popFirst() else { return nil }
            let element = lines[client]?.elements.popFirst()
            if lines[client]?.elements.isEmpty == true { lines[client] = nil } else { order.append(client) }
            return element
        }
    }

    private var users: [UInt32: User] = [:]
    /// Users with waiting work, the longest waiting first.
    private var order: [UInt32] = []
    /// The use of each recent user.
    private var shares: [UInt32: RecentShare] = [:]
    private static var manyShares: Int { 256 }

    var isEmpty: Bool { order.isEmpty }

    var count: Int { users.values.reduce(0) { $0 + $1.lines.values.reduce(0) { $0 + $1.elements.count } } }

    mutating func append(_ element: Element, of owner: TurnOwner) {
        if users[owner.uid] == nil { order.append(owner.uid) }
        users[owner.uid, default: User()].append(element, of: owner.client)
    }

    /// - Parameter now: The time by the clock of `spend`.
    mutating func takeNext(at now: UInt64) -> Element? {
        let spent = order.map { shares[$0]?.spent(at: now) ?? 0 }
        guard let least = spent.min(), let place = spent.firstIndex(of: least) else { return nil }
        let uid = order.remove(at: place)
        let element = users[uid]?.takeNext()
        if users[uid]?.lines.isEmpty == true { users[uid] = nil } else { order.append(uid) }
        return element
    }

    /// Adds to a user's use.
    mutating func spend(_ microseconds: UInt64, by uid: UInt32, at now: UInt64) {
        shares[uid, default: RecentShare()].spend(microseconds, at: now)
        if shares.count > Self.manyShares { shares = shares.filter { $0.value.spent(at: now) > 0 } }
    }

    /// Removes and returns the waiting work of an owner.
    mutating func removeAll(of owner: TurnOwner) -> [Element] {
        guard let line = users[owner.uid]?.lines.removeValue(forKey: owner.client) else { return [] }
        users[owner.uid]?.order.removeAll { $0 == owner.client }
        if users[owner.uid]?.lines.isEmpty == true {
            users[owner.uid] = nil
            order.removeAll { $0 == owner.uid }
        }
        return line.elements.all
    }
}
