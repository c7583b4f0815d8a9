/// A cache of producers' states.
package struct ProducerBook: Sendable {
    private struct State: Sendable {
        /// nil: the store does not know the producer.
        var mark: ProducerMark?
        /// Whether the mark has changed since the last `handOver`.
        var isTouched = false
    }

    private var cache = Cache<Producer, State>(capacity: 4096)
    /// The number of producers changed since the last `handOver`.
    private(set) var touchedCount = 0

    subscript(producer: Producer) -> ProducerMark? { cache[producer]?.mark }

    /// Marks a producer as used.
    ///
    /// - Returns: whether its state is loaded.
    mutating func use(_ producer: Producer) -> Bool { cache.use(producer) }

    mutating func admit(_ producer: Producer, _ mark: ProducerMark?) { cache.admit(producer, State(mark: mark)) }

    /// Sets the mark of an admitted producer; nil forgets it.
    mutating func put(_ mark: ProducerMark?, _ producer: Producer) {
        guard cache[producer]?.isTouched != true else { return cache.adjust(producer) { $0.mark = mark } }
        cache.change(producer) { $0 = State(mark: mark, isTouched: true) }
        touchedCount += 1
    }

    mutating func forget(where isMeant: (Producer) -> Bool) {
        for producer in cache.keys where isMeant(producer) { put(nil, producer) }
    }

    /// Hands the changes to the store: one row per producer, however much it sent.
    mutating func handOver() -> [ProducerRow] {
        touchedCount = 0
        return cache.handOver().compactMap { producer in
            cache.adjust(producer) { $0.isTouched = false }
            return self[producer].map { ProducerRow(producer: producer, mark: $0) }
        }
    }

    mutating func settle() { cache.settle() }

    /// Drops the marks that the store has and that name a record, to be read again: the records may be removed by now.
    mutating func dropStored(where isMeant: (Producer) -> Bool) {
        cache.drop { producer, state in state.mark?.recorded != nil && isMeant(producer) }
    }
}
