internal import HarkWire

extension Holding {
    /// The names and values of counters.
    package static let counters = Holding(Counter.self)

    /// The holdings that a change of a counter or of an execution can increase.
    package static let ofCounters: [Holding] = [.counters, .executions, .presentations, .runs]
}

extension HoldingBound {
    static let counters = HoldingBound(
        of: .counters, most: Amount(count: Limits.countersPerUser, bytes: Limits.counterBytesPerUser),
        things: "counters",
        whenMany: "use those there are, or remove all that is kept of this user (event.clear with \"all\")",
        whenLarge: "reset some (counter.reset), or give them smaller values")
}

extension Counter {
    /// The growth of the store when this counter replaces `before`.
    func growth(over before: Counter?) -> Amount {
        var growth = Amount()
        if before == nil { growth = Amount(count: 1, bytes: name.text.utf8.count) }
        // Values that did not change are not measured.
        if before?.initial != initial { growth.bytes += initial.packed.count - (before?.initial.packed.count ?? 0) }
        if before?.changed != changed {
            growth.bytes += (changed?.packed.count ?? 0) - (before?.changed?.packed.count ?? 0)
        }
        return growth
    }
}
