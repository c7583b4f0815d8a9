package import HarkWire

extension Engine {
    /// Records something at most once: a send whose number is not above the producer's newest recorded one changes
    /// nothing. If `body` throws, the number stays unused.
    ///
    /// The producer must have been admitted.
    package mutating func once(
        _ send: ProducerSend?, into changes: inout Changes,
        _ body: (inout Engine, inout Changes) throws(WireError) -> Recorded
    ) throws(WireError) -> Receipt {
        guard let send else { return .recorded(try body(&self, &changes)) }
        try Limits.check(producerId: send.producer.id.text)
        let before = producers[send.producer]
        if let before, send.number <= before.number {
            return .repeated(send.number == before.number ? before.recorded : nil)
        }
        let recorded = try body(&self, &changes)
        if before == nil { makeRoomForProducer(of: send.producer.scope.uid, into: &changes) }
        let mark = ProducerMark(number: send.number, sequence: recorded.sequence, recorded: recorded)
        producers.put(mark, send.producer)
        return .recorded(recorded)
    }

    /// Forgets the least recently seen producers of a uid when the limit is reached; their repeated sends are then recorded
    /// again.
    private mutating func makeRoomForProducer(of uid: UInt32, into changes: inout Changes) {
        if let held = holdings[uid]?[.producers], held.count >= Limits.producersPerUser {
            // Removes some at a time, because finding them requires a scan of all.
            let kept = Limits.producersPerUser * 9 / 10
            keep(ProducerRemoval.trim(uid: uid, keep: kept), into: &changes)
            admit(Amount(count: kept), .producers, of: uid)
        }
        hold(Amount(count: 1), .producers, of: uid)
    }

    /// Marks a producer as used.
    ///
    /// - Returns: whether its state is loaded.
    package mutating func use(_ producer: Producer) -> Bool { producers.use(producer) }

    /// Adds a producer as the store has it; nil if the store does not know it.
    package mutating func admit(_ producer: Producer, _ mark: ProducerMark?) {
        let isGoing = unsettledRemovals.contains { $0.containsProducers(of: producer.scope.uid) }
        producers.admit(producer, isGoing ? nil : mark)
    }

    /// The number of producers with a row in the next transaction.
    package var touchedProducers: Int { producers.touchedCount }

    /// Makes the engine read the marks of producers again, because their records may be gone.
    ///
    /// - Parameter uids: the accounts whose records were removed; nil among them stands for all.
    package mutating func recordsWereRemoved(of uids: Set<UInt32?> = [nil]) {
        producers.dropStored { uids.contains(nil) || uids.contains($0.scope.uid) }
    }

    /// Removes producers when all data is cleared.
    mutating func clearProducers(_ selection: Selection, into changes: inout Changes) {
        guard case .all = selection.target else { return }
        producers.forget { selection.containsProducers(of: $0.scope.uid) }
        keep(ProducerRemoval.all(uid: selection.uid), into: &changes)
    }
}

extension Selection {
    /// Whether the selection covers the producers of a uid.
    func containsProducers(of uid: UInt32) -> Bool { target == .all && (self.uid == nil || self.uid == uid) }
}
