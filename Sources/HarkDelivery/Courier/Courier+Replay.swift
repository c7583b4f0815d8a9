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
        let round = DeliveryRound(self, LaneProgress(cursor: 0), isProbe: isProbe, isReplay: true)
        await round.run(records)
        var next = progress
        for sequence in round.accepted {
            if let cause = bySequence[sequence].flatMap({ LaneProgress.Drop(rawValue: $0.cause) }) {
                next.redeem(cause)
            }
        }
        next.noteRefused(round.refused)
        var account = account(next)
        // A letter whose record is gone has nothing to say any more.
        let there = Set(records.map(\.sequence))
        account.redeemed = round.accepted + letters.map(\.sequence).filter { !there.contains($0) }
        account.deadLetters = round.deadLetters.compactMap { dead in
            bySequence[dead.sequence].map { old in
                DeadLetter(
                    destination: old.destination, sequence: old.sequence, lane: old.lane, cause: old.cause,
                    session: old.session, at: dead.at, status: dead.status, reason: dead.reason, replays: old.replays)
            }
        }
        try await pay(Debt(account: account))
        return !records.isEmpty
    }
}
