package import HarkWire

/// Draws an element of a list for a user and a day: the same all day and a new one the next, without stored state.
///
/// Days are grouped into rounds of as many days as there are elements. Each round shuffles the list anew for the user,
/// so that each element comes once, and a round never begins with the last element of the round before.
package struct DailyDraw: Sendable {
    private let seed: UInt64
    private let day: Int64

    /// - Parameter day: the local day, counted from 1970-01-01.
    package init(_ user: UserKey, day: Int64) {
        var hash = StableHash()
        hash.mix("daily")
        hash.mix(user)
        seed = hash.value
        self.day = day
    }

    package func one(of elements: [JSONValue]) -> JSONValue? {
        let count = Int64(elements.count)
        guard count > 0 else { return nil }
        // One or two elements can only alternate.
        if count < 3 { return elements[Int((day &+ Int64(truncatingIfNeeded: seed >> 1)).remainder(of: count))] }
        let place = day.remainder(of: count)
        return elements[order(ofRound: (day - place) / count, count: elements.count)[Int(place)]]
    }

    private func order(ofRound round: Int64, count: Int) -> [Int] {
        var order = shuffled(round, count)
        // Swapping the first two keeps the last in place, so only the shuffle of the round before matters.
        if order[0] == shuffled(round - 1, count)[count - 1] { order.swapAt(0, 1) }
        return order
    }

    private func shuffled(_ round: Int64, _ count: Int) -> [Int] {
        var order = Array(0..<count)
        var hash = StableHash(seed)
        hash.mix(UInt64(bitPattern: round))
        for place in (1..<count).reversed() {
            hash.mix(UInt64(place))
            order.swapAt(place, Int(hash.value % UInt64(place + 1)))
        }
        return order
    }
}

extension Int64 {
    /// The remainder from 0 to `count` - 1, for days before 1970 too.
    fileprivate func remainder(of count: Int64) -> Int64 {
        let rest = self % count
        return rest < 0 ? rest + count : rest
    }
}
