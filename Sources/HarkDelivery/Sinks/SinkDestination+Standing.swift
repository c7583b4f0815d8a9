internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// The position of a sink, and the consequences when it is not the expected one.
extension SinkDestination {
    /// Called when the database was shut down, or the connection lost: the next one may be an earlier state of it.
    func lost() {
        standing = nil
        timer?.arm(afterMicroseconds: patience)
    }

    func look() {
        guard !isClosed, standing == nil else { return }
        DaemonActor.task { [self] in
            await turnstile.enter()
            defer { turnstile.leave() }
            guard !isClosed, standing == nil else { return }
            do throws(DeliveryFailure) {
                try await ask()
                // A delivery that waits for its next attempt can start at once.
                gate?.hurry()
            } catch {
                patience = min(patience * 2, Self.longest)
                timer?.arm(afterMicroseconds: patience)
            }
        }
    }

    /// Asks the sink for its position, and compares that with the store.
    func ask() async throws(DeliveryFailure) {
        do throws(DeliveryFailure) {
            log = try await currentLog()
            let stands = try await believe(sink.position(of: log.all, near: bounds))
            (standing, problem, patience) = (stands, nil, Self.shortest)
            heardAt = SystemClock.monotonicMicroseconds
            if stands < sent { goBack(to: stands) }
        } catch {
            problem = error.reason
            throw error
        }
    }

    /// - Returns: The number of the store up to which the sink has all records.
    private func believe(_ position: SinkPosition?) async throws(DeliveryFailure) -> UInt64 {
        guard let position else { return 0 }
        let mark = position.mark
        // The sink has all records from before the fork, and none from after it.
        if position.log != log.current, mark.sequence >= log.begin { return log.begin }
        // Asked before the store is read, so that a record added meanwhile counts as newer than the store.
        let newest = keeping.newest()
        let known = try await id(of: mark.sequence)
        // A removed record looks like one that never existed, except for its number.
        guard known != mark.id, known != nil || mark.sequence > newest else { return mark.sequence }
        // The two logs parted after the last accepted record.
        let least = min(sent, mark.sequence)
        if sink.tellsWhatIsTaken { return least }
        let parted = max(try await parting(after: least, upTo: mark.sequence), log.begin)
        try await fork(after: parted)
        return parted
    }

    /// Finds the last number up to `most` under which store and sink have the same record; `least` if that is unknown.
    private func parting(after least: UInt64, upTo most: UInt64) async throws(DeliveryFailure) -> UInt64 {
        var (low, high) = (least, most)
        // Each step halves the range.
        for _ in 0..<64 where low < high {
            let middle = high - (high - low) / 2
            if let there = try await sink.mark(of: log.current, from: middle), there.sequence <= high,
                try await id(of: there.sequence) == there.id
            {
                low = there.sequence
            } else {
                high = middle - 1
            }
        }
        return low
    }

    private func id(of sequence: UInt64) async throws(DeliveryFailure) -> Identifier? {
        do {
            return try await reader.id(of: sequence)
        } catch {
            throw DeliveryFailure(
                .local, retryAfter: 5, "the log cannot be read to compare it with what \(sink.place) has: \(error)")
        }
    }

    /// Returns the current ids of the store's log.
    func currentLog() async throws(DeliveryFailure) -> SinkLog {
        guard let log = await identity.log() else { throw SinkDestination.unkept }
        return log
    }

    private static let unkept = DeliveryFailure(
        .local, retryAfter: 5, "the store could not keep by which id it is known in databases")

    func fork(after sequence: UInt64) async throws(DeliveryFailure) {
        guard await identity.fork(after: sequence) else { throw SinkDestination.unkept }
        log = try await currentLog()
        note(
            "\(sink.place) has records that this store does not have: the store was set back to an earlier state, or another "
                + "runs with a copy of it. What was recorded after record \(sequence) goes there as log \(log.current)")
    }

    /// Sends records again that the sink had accepted and has lost.
    private func goBack(to sequence: UInt64) {
        guard let courier else { return }
        note(
            "\(sink.place) stands at record \(sequence) and had come to \(sent): it was set back to an earlier state, and is "
                + "given again what the store still has")
        sent = sequence
        isGoingBack = true
        DaemonActor.task { [self] in
            let isStored = await courier.rewind(to: sequence)
            isGoingBack = false
            if !isStored { standing = nil }
            gate?.hurry()
        }
    }

    private func note(_ text: String) {
        Log.warning("destination \(name): \(text)", ["destination": name])
        notes.removeAll { $0 == text }
        notes = notes.suffix(4) + [text]
    }
}
