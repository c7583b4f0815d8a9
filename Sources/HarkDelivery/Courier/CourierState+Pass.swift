internal import HarkCore
import HarkWire

/// One pass from the log to the destination.
extension CourierState {
    /// So many records may be carried while one before them fails again and again. Each of them is told to the store with
    /// every account until that one is through.
    static let mostAhead = 4_096
    private static let lettersAtOnce = 256
    private static let faultMicroseconds: UInt64 = 5_000_000

    /// Of what cannot be delivered for now, so much is kept; nil for all.
    var room: Int? { terms.lane.keepsFailed ? terms.lane.maxPending : 0 }
    var isOverfull: Bool { room.map { (pending ?? 0) > $0 } ?? false }

    /// All before it is stored and counted.
    mutating func pass(_ gate: inout GateState) -> [Action] {
        switch gate.permission() {
        case .go: break
        case .probe: hasProbe = true
        case .wait, .no: return makeRoom(&gate)
        }
        guard hasReplays else { return readPage() }
        // What somebody asks for from here on may be missing from what is read, and has a pass of its own.
        hasReplays = false
        course = .readingLetters
        return [.work(.readLetters(limit: hasProbe ? 1 : CourierState.lettersAtOnce))]
    }

    /// Something on this side went wrong, and what is under way ends with it.
    mutating func fail(_ reason: String, _ gate: inout GateState) -> [Action] {
        forgetFresh()
        return note(reason) + rest(.after(microseconds: CourierState.faultMicroseconds), &gate)
    }

    mutating func note(_ reason: String) -> [Action] {
        defer { fault = reason }
        return fault == reason ? [] : [.warn(reason)]
    }

    // MARK: Pages and letters

    private mutating func readPage() -> [Action] {
        course = .readingPage(.init(pending: pending ?? 0, arrived: arrived))
        // A whole page for a probe as well: of what is too old, it may have to pass much to find one record.
        let most = terms.batch.page
        let limit = min(most + progress.done.count, max(most, CourierState.mostAhead))
        return [
            .work(
                .readPage(
                    after: progress, upTo: newest, filter, limit: limit, maxBytes: 4 * terms.batch.bytes, fresh: fresh))
        ]
    }

    mutating func read(_ page: DeliveryReader.Page, _ gate: inout GateState) -> [Action] {
        var next = progress
        if let rows = page.removals.rows { next.forgetSwept(except: rows) }
        var removed = 0
        for (row, waiting) in page.removals.waiting {
            next.remove(session: row, waiting: waiting.count, upTo: waiting.last)
            removed += waiting.count
        }
        switch course {
        case .readingPage(var mark):
            (mark.sequences, mark.end, mark.isLast) = (page.records[...].sequences, page.end, page.isLast)
            mark.removed = removed
            return carry(page.records, from: .page(mark), next, Outcomes(settled: removed), &gate)
        case .readingExcess(let excess):
            var settled = removed
            for record in page.records where settled < excess && !next.done.contains(record.sequence) {
                next.drop(record.sequence, terms.lane.keepsFailed ? .overflow : .notKept)
                settled += 1
            }
            next.advance(over: page.records.lazy.map(\.sequence), to: page.end)
            return store(Account(next, Outcomes(settled: settled)), then: .room, gate)
        default: return []
        }
    }

    /// - Parameter records: Those of the letters that are still in the log.
    mutating func read(_ letters: [DeadLetter], of records: [Record], _ gate: inout GateState) -> [Action] {
        guard case .readingLetters = course else { return [] }
        guard !letters.isEmpty else { return readPage() }
        // There may be more than a helping.
        hasReplays = true
        let known = Dictionary(letters.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        // A letter whose record is gone has nothing to say any more.
        let there = Set(records.map(\.sequence))
        var outcomes = Outcomes()
        outcomes.gone = letters.map(\.sequence).filter { !there.contains($0) }
        let source = DeliveryRound.Source.letters(known, areSent: !records.isEmpty)
        return carry(records, from: source, LaneProgress(cursor: 0), outcomes, &gate)
    }

    // MARK: Parcels

    private mutating func carry(
        _ records: [Record], from source: DeliveryRound.Source, _ start: LaneProgress, _ outcomes: Outcomes,
        _ gate: inout GateState
    ) -> [Action] {
        let round = DeliveryRound(
            records, from: source, start, outcomes: outcomes, refusals: refusals, isProbe: hasProbe, terms, gate)
        return goOn(round, &gate)
    }

    /// What may go next goes, and what is to be stored before the rest is; or the round is over.
    private mutating func goOn(_ round: consuming DeliveryRound, _ gate: inout GateState) -> [Action] {
        var actions: [Action] = round.nextParcels(isAwaited: isAwaited, gate).map {
            .work(.handOver($0.records, next: $0.next, chain: $0.chain))
        }
        if let account = round.nextAccount(progress) { actions.append(store(account, gate)) }
        guard round.isOver else {
            course = .carrying(round)
            return actions
        }
        return actions + close(round, &gate)
    }

    mutating func delivered(_ outcome: DeliveryOutcome, by chain: Int, _ gate: inout GateState) -> [Action] {
        guard case .carrying(var round) = course else { return [] }
        // The round is changed where it is, not copied.
        course = .resting(.records)
        let warning = round.delivered(outcome, by: chain, isStopped: isStopped, &gate)
        // What never came to a request says nothing about the way: the next one probes it.
        if hasProbe { gate.abandonProbe() }
        hasProbe = false
        return (warning.map { [.warn($0)] } ?? []) + goOn(round, &gate)
    }

    /// The store has taken an account of parcels, or not, and the round goes on.
    mutating func accounted(_ commit: DeliveryCommit?, _ gate: inout GateState) -> [Action] {
        guard case .carrying(var round) = course else { return [] }
        course = .resting(.records)
        let told = round.accounted(isStored: commit != nil)
        return (commit.map { take($0, told, &gate) } ?? []) + goOn(round, &gate)
    }

    private mutating func close(_ round: consuming DeliveryRound, _ gate: inout GateState) -> [Action] {
        if case .page = round.source { refusals = round.refusals }
        let account = round.lastAccount(progress)
        if round.isRefusedByStore {
            debt = account
            return fail(CourierState.refusedByStore, &gate)
        }
        guard account.progress != progress || gate.isDirty || !account.outcomes.isEmpty else {
            return [.tell(account.outcomes.results)] + end(round, &gate)
        }
        return store(account, then: .end(of: round), gate)
    }

    /// All of the round is stored.
    mutating func end(_ round: DeliveryRound, _ gate: inout GateState) -> [Action] {
        let isOpen = gate.breaker.state == .closed
        switch round.source {
        case .letters(_, let areSent):
            // A probe is one parcel, and what it says about the way is known now.
            if areSent, round.isProbe || !isOpen { return rest(isOpen ? .atOnce : .whenCalled, &gate) }
            return isAwaited ? rest(.whenCalled, &gate) : readPage()
        case .page(let mark):
            fault = nil
            var actions: [Action] = []
            if mark.removed > 0 { actions.append(.tellOfRemoval(upTo: progress.cursor)) }
            let isThrough = mark.isLast && progress.cursor >= mark.end
            if isThrough {
                pending = arrived - mark.arrived
                // What came meanwhile was none of ours.
                if pending == 0 { progress.advance(over: EmptyCollection(), to: newest) }
                trimFresh()
            }
            guard isOpen else {
                forgetFresh()
                return actions + tellOfGate(gate) + rest(isOverfull ? .atOnce : .whenCalled, &gate)
            }
            return actions + rest(isThrough && !round.isProbe ? .whenCalled : .atOnce, &gate)
        }
    }

    // MARK: While nothing passes

    /// What is too much goes.
    private mutating func makeRoom(_ gate: inout GateState) -> [Action] {
        forgetFresh()
        let told = tellOfGate(gate)
        guard let room, let pending, pending > room else { return told + rest(.whenCalled, &gate) }
        course = .readingExcess(pending - room)
        let limit = min(pending - room, CourierState.mostAhead) + progress.done.count
        return told + [
            .work(.readPage(after: progress, upTo: newest, filter, limit: limit, maxBytes: .max, fresh: nil))
        ]
    }

    /// Nothing passes for now, so nobody is told anything better soon.
    private func tellOfGate(_ gate: GateState) -> [Action] {
        gate.breaker.lastFailure.map { [.tellAll($0)] } ?? []
    }
}
