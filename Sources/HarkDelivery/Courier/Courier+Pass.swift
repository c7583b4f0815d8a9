internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// One pass from the log to the destination.
extension Courier {
    /// What became of records that were handed over.
    struct Debt {
        let account: DeliveryCommit
        /// Records that wait no longer.
        var settled = 0
        /// What to tell those who watch a record.
        var results: [(UInt64, Result<Void, DeliveryFailure>)] = []
    }

    /// Stores what became of records. What the store refuses is kept for the next pass, so that a full disk here does not
    /// send the same records again and again.
    func pay(_ debt: Debt) async throws {
        self.debt = debt
        guard await store(debt.account) else { throw DeliveryFailure(.local, Courier.refusedByStore) }
        self.debt = nil
        fault = nil
        if let pending { self.pending = max(0, pending - debt.settled) }
        for (sequence, result) in debt.results { tell(sequence, result) }
    }

    /// Returns how long to wait before the next, in microseconds; nil when the log or the gate decides.
    func pass() async -> UInt64? {
        do {
            if let debt { try await pay(debt) }
            await count()
            guard pending != nil else { return Courier.faultMicroseconds }
            var isProbe = false
            switch gate.permission() {
            case .go: break
            case .probe: isProbe = true
            case .wait, .no: return try await makeRoom()
            }
            // What never came to a request says nothing about the way: the next one probes it.
            defer { if isProbe { gate.abandonProbe() } }
            if hasReplays {
                let wasSent = try await replay(isProbe: isProbe)
                // A probe is one parcel, and what it says about the way is known now.
                if wasSent, isProbe || gate.breaker.state != .closed { return gate.breaker.state == .closed ? 0 : nil }
            }
            return try await carry(isProbe: isProbe)
        } catch {
            return failed((error as? DeliveryFailure)?.reason ?? "\(error)")
        }
    }

    /// So many records may be carried while one before them fails again and again. Each of them is told to the store with
    /// every account until that one is through.
    static let mostAhead = 16_384

    private func carry(isProbe: Bool) async throws -> UInt64? {
        let (committed, before, arrivedBefore) = (newest, pending ?? 0, arrived)
        // A whole page for a probe as well: of what is too old, it may have to pass much to find one record.
        let most = destination.batch.page
        let page = try await reader.read(
            after: progress.cursor, upTo: committed, filter,
            limit: min(most + progress.done.count, max(most, Courier.mostAhead)), maxBytes: 4 * destination.batch.bytes)
        let round = DeliveryRound(self, progress, isProbe: isProbe, refusals: refusals)
        await round.run(page.records)
        refusals = round.refusals
        var next = round.progress
        next.advance(over: page.records.lazy.map(\.sequence), to: page.end)
        let isThrough = page.isLast && next.cursor >= page.end
        // What was there to be delivered and is gone was removed meanwhile.
        let missing = isThrough ? max(0, before - round.settled) : 0
        next.noteRemoved(missing)
        if next != progress || gate.isDirty {
            var account = account(next)
            account.deadLetters = round.deadLetters
            try await pay(Debt(account: account, settled: round.settled + missing, results: round.results))
        } else {
            for (sequence, result) in round.results { tell(sequence, result) }
        }
        fault = nil
        if missing > 0 { tellWatchersOfRemoval() }
        if isThrough {
            pending = arrived - arrivedBefore
            // What came meanwhile was none of ours.
            if pending == 0 { progress.advance(over: EmptyCollection(), to: newest) }
        }
        guard gate.breaker.state == .closed else {
            tellWatchersOfGate()
            return isOverfull ? 0 : nil
        }
        return isThrough && !isProbe ? nil : 0
    }

    /// Of what cannot be delivered for now, so much is kept; nil for all.
    var room: Int? { lane.keepsFailed ? lane.maxPending : 0 }
    private var isOverfull: Bool { room.map { (pending ?? 0) > $0 } ?? false }

    /// While nothing passes, what is too much goes.
    private func makeRoom() async throws -> UInt64? {
        tellWatchersOfGate()
        guard let keep = room, let pending, pending > keep else { return nil }
        let page = try await reader.read(
            after: progress.cursor, upTo: newest, filter, limit: min(pending - keep, 4_096) + progress.done.count,
            maxBytes: .max)
        var next = progress
        var count = 0
        for record in page.records where count < pending - keep && !next.done.contains(record.sequence) {
            next.drop(record.sequence, lane.keepsFailed ? .overflow : .notKept)
            count += 1
        }
        next.advance(over: page.records.lazy.map(\.sequence), to: page.end)
        try await pay(Debt(account: account(next), settled: count))
        return isOverfull && count > 0 ? 0 : nil
    }
}
