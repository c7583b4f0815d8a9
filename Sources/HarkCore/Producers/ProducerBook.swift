/// How far the producers have come that were heard of lately.
package struct ProducerBook: Sendable {
    private struct State: Sendable {
        /// nil where the store knows of none.
        var mark: ProducerMark?
        /// Whether it has changed since the changes were last handed to the store.
        var isTouched = false
    }

    private var cache = Cache<Producer, State>(capacity: 4096)
    private var touched: [Producer] = []

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
        touched.append(producer)
    }

    mutating func forget(where isMeant: (Producer) -> Bool) {
        for producer in cache.keys where isMeant(producer) { put(nil, producer) }
    }

    /// How many have changed since the changes were last handed to the store.
    var touchedCount: Int { touched.count }

    /// The changes so far go to the store, one row for each producer however much it sent; `settle` takes the answer back.
    mutating func takeTouched() -> (producers: [Producer], rows: [ProducerRow]) {
        defer { touched.removeAll() }
        for producer in cache.takeTouched() { cache.adjust(producer) { $0.isTouched = false } }
        return (
            touched,
            touched.compactMap { producer in
                self[producer].map { ProducerRow(producer: producer, mark: $0) }
            }
        )
    }

    mutating func settle(_ producers: [Producer]) {
        for producer in producers { cache.settle(producer) }
    }
}
