internal import HarkCore
internal import HarkSystem

/// Dead letters that somebody wants tried again.
extension Courier {
    private static let lettersAtOnce = 256

    /// Tries a helping of them. Returns whether anything was sent.
    func replay(isProbe: Bool) async throws -> Bool {
        // What somebody asks for from here on may be missing from what is read, and has a pass of its own.
        hasReplays = false
        let letters: [DeadLetter]
        let records: [Record]
        do {
            letters = try await reader.dueLetters(
                of: destination.name, lane: lane.name, limit: isProbe ? 1 : Courier.lettersAtOnce)
            records = try await reader.records(letters.map(\.sequence))
        } catch {
            hasReplays = true
            throw error
        }
        guard !letters.isEmpty else { return false }
        // There may be more than a helping.
        hasReplays = true
        let bySequence = Dictionary(letters.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        // The round counts from nothing: what it accepts and buries was counted when it died, and that the server refuses
        // old letters again says nothing about what is new.
        let round = DeliveryRound(self, LaneProgress(cursor: 0), isProbe: isProbe, isReplay: true) {
            [self] _, outcomes in
            await keep(account(of: outcomes, among: bySequence), outcomes)
        }
        // A letter whose record is gone has nothing to say any more.
        let there = Set(records.map(\.sequence))
        round.outcomes.gone = letters.map(\.sequence).filter { !there.contains($0) }
        await round.run(records)
        let rest = account(of: round.outcomes, among: bySequence)
        if round.isRefusedByStore { throw owe(rest, round.outcomes) }
        if gate.isDirty || !round.outcomes.isEmpty { try await pay(Debt(account: rest, outcomes: round.outcomes)) }
        return !records.isEmpty
    }

    private func account(of outcomes: Outcomes, among letters: [UInt64: DeadLetter]) -> DeliveryCommit {
        var next = progress
        for sequence in outcomes.accepted {
            if let cause = letters[sequence].flatMap({ LaneProgress.Drop(rawValue: $0.cause) }) { next.redeem(cause) }
        }
        next.noteRefused(outcomes.refused)
        var told = outcomes
        told.deadLetters = outcomes.deadLetters.compactMap { dead in
            letters[dead.sequence].map { old in
                DeadLetter(
                    destination: old.destination, sequence: old.sequence, lane: old.lane, cause: old.cause,
                    session: old.session, at: dead.at, status: dead.status, reason: dead.reason, replays: old.replays)
            }
        }
        return account(next, told)
    }
}
