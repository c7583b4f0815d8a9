/// How far the producers have come that were heard of lately.
package struct ProducerBook: Sendable {
    private struct State: Sendable {
        /// nil where the store knows of none.
        var mark: ProducerMark?
        /// Whether it has changed since the changes were last handed to the store.
        var isTouched = false
    }

    private var cache = Cache<Producer, State>(capacity: 4096)
    /// How many have changed since the changes were last handed to the store.
    private(set) var touchedCount = 0

    subscript(producer: Producer) -> ProducerMark? { cache[producer]?.mark }

    /// Notes that a producer is needed now.
    ///
    /// - Returns: whether it is known how far it has come.
    mutating func use(_ producer: Producer) -> Bool { cache.use(producer) }

    mutating func admit(_ producer: Producer, _ mark: ProducerMark?) { cache.admit(producer, State(mark: mark)) }

    /// Keeps how far a producer has come that was admitted; nil forgets it.
    mutating func put(_ mark: ProducerMark?, _ producer: Producer) {
        guard cache[producer]?.isTouched != true else { return cache.adjust(producer) { $0.mark = mark } }
        cache.change(producer) { $0 = State(mark: mark, isTouched: true) }
        touchedCount += 1
    }

    mutating func forget(where isMeant: (Producer) -> Bool) {
        for producer in cache.keys where isMeant(producer) { put(nil, producer) }
    }

    /// The changes so far go to the store: one row for each producer, however much it sent.
    mutating func handOver() -> [ProducerRow] {
        touchedCount = 0
        return cache.handOver().compactMap { producer in
            cache.adjust(producer) { $0.isTouched = false }
            return self[producer].map { ProducerRow(producer: producer, mark: $0) }
        }
    }

    mutating func settle() { cache.settle() }
}
