package import HarkWire

extension Engine {
    /// Has something recorded unless it was before: a send whose number is not above that of the newest recorded send of
    /// its producer changes nothing. What `body` refuses uses up no number.
    ///
    /// The producer must have been brought in.
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

    /// Forgets those of a uid that were not heard of for the longest, when there are as many as may be: what they send again
    /// is recorded again.
    private mutating func makeRoomForProducer(of uid: UInt32, into changes: inout Changes) {
        if let held = holdings[uid]?[.producers], held.count >= Limits.producersPerUser {
            // Some at a time, as finding them costs a look at all.
            let kept = Limits.producersPerUser * 9 / 10
            keep(ProducerRemoval.trim(uid: uid, keep: kept), into: &changes)
            admit(Amount(count: kept), .producers, of: uid)
        }
        hold(Amount(count: 1), .producers, of: uid)
    }

    /// Notes that a producer is needed now.
    ///
    /// - Returns: whether it is known how far it has come.
    package mutating func use(_ producer: Producer) -> Bool { producers.use(producer) }

    /// Brings in what the store knows of a producer; nil: it was never heard of.
    package mutating func admit(_ producer: Producer, _ mark: ProducerMark?) {
        let isGoing = unsettledRemovals.contains { $0.containsProducers(of: producer.scope.uid) }
        producers.admit(producer, isGoing ? nil : mark)
    }

    /// How many producers the next commit has rows for.
    package var touchedProducers: Int { producers.touchedCount }

    /// A clear of everything takes producers along.
    mutating func clearProducers(_ selection: Selection, into changes: inout Changes) {
        guard case .all = selection.target else { return }
        producers.forget { selection.containsProducers(of: $0.scope.uid) }
        keep(ProducerRemoval.all(uid: selection.uid), into: &changes)
    }
}

extension Selection {
    /// Whether what is known of a uid's producers goes with it.
    func containsProducers(of uid: UInt32) -> Bool { target == .all && (self.uid == nil || self.uid == uid) }
}
