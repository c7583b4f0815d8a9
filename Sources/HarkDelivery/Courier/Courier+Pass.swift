internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// One pass from the log to the destination.
extension Courier {
    /// What the store has refused, to be told again before anything else is sent.
    struct Debt {
        let account: DeliveryCommit
        let outcomes: Outcomes
    }

    /// Stores what became of records. What the store refuses is kept for the next pass, so that a full disk here does not
    /// send the same records again and again.
    func pay(_ debt: Debt) async throws {
        self.debt = debt
        guard await keep(debt.account, debt.outcomes) else {
            throw DeliveryFailure(.local, Courier.refusedByStore)
        }
        self.debt = nil
        fault = nil
    }

    /// The store has just refused something of that: all of it is told with the next pass. Returns what to throw.
    func owe(_ account: DeliveryCommit, _ outcomes: Outcomes) -> DeliveryFailure {
        debt = Debt(account: account, outcomes: outcomes)
        return DeliveryFailure(.local, Courier.refusedByStore)
    }

    func pay(_ next: LaneProgress, _ outcomes: Outcomes) async throws {
        try await pay(Debt(account: account(next, outcomes), outcomes: outcomes))
    }

    /// Stores an account and tells whoever waits for it; false when the store refuses.
    func keep(_ account: DeliveryCommit, _ outcomes: Outcomes) async -> Bool {
        guard await store(account) else { return false }
        if let pending { self.pending = max(0, pending - outcomes.settled) }
        for (sequence, result) in outcomes.results { tell(sequence, result) }
        return true
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
    static let mostAhead = 4_096

    /// What comes next, and the progress by which what is being removed meanwhile no longer waits.
    private func nextPage(
        upTo committed: UInt64, limit: Int, maxBytes: Int
    ) async throws -> (page: DeliveryReader.Page, progress: LaneProgress, removed: Int) {
        let page = try await reader.read(
            after: progress.cursor, upTo: committed, filter, done: progress.done, limit: limit, maxBytes: maxBytes)
        var next = progress
        if let rows = page.removals.rows { next.forgetSwept(except: rows) }
        var removed = 0
        for (row, waiting) in page.removals.waiting {
            next.remove(session: row, waiting: waiting.count, upTo: waiting.last)
            removed += waiting.count
        }
        return (page, next, removed)
    }

    private func carry(isProbe: Bool) async throws -> UInt64? {
        let (committed, before, arrivedBefore) = (newest, pending ?? 0, arrived)
        // A whole page for a probe as well: of what is too old, it may have to pass much to find one record.
        let most = destination.batch.page
        let (page, start, removed) = try await nextPage(
            upTo: committed, limit: min(most + progress.done.count, max(most, Courier.mostAhead)),
            maxBytes: 4 * destination.batch.bytes)
        let sequences = page.records.map(\.sequence)
        let round = DeliveryRound(self, start, isProbe: isProbe, refusals: refusals) { [self] progress, outcomes in
            var next = progress
            next.advance(over: sequences, to: page.end)
            return await keep(account(next, outcomes), outcomes)
        }
        round.outcomes.settled = removed
        await round.run(page.records)
        refusals = round.refusals
        var next = round.progress
        next.advance(over: sequences, to: page.end)
        if round.isRefusedByStore { throw owe(account(next, round.outcomes), round.outcomes) }
        let isThrough = page.isLast && next.cursor >= page.end
        // What was there to be delivered and is gone was removed meanwhile.
        let missing = isThrough ? max(0, before - removed - round.settled) : 0
        next.noteRemoved(missing)
        round.outcomes.settled += missing
        if next != progress || gate.isDirty || !round.outcomes.isEmpty {
            try await pay(next, round.outcomes)
        } else {
            for (sequence, result) in round.outcomes.results { tell(sequence, result) }
        }
        fault = nil
        if missing + removed > 0 { tellWatchersOfRemoval() }
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
        var (page, next, settled) = try await nextPage(
            upTo: newest, limit: min(pending - keep, 4_096) + progress.done.count, maxBytes: .max)
        for record in page.records where settled < pending - keep && !next.done.contains(record.sequence) {
            next.drop(record.sequence, lane.keepsFailed ? .overflow : .notKept)
            settled += 1
        }
        next.advance(over: page.records.lazy.map(\.sequence), to: page.end)
        try await pay(next, Outcomes(settled: settled))
        return isOverfull && settled > 0 ? 0 : nil
    }
}
