internal import HarkCore
import HarkWire

/// A pass from the log to the destination.
extension CourierState {
    /// The number of records that may be delivered while an earlier one keeps failing. Every commit stores all of them
    /// until that one has passed.
    static let mostAhead = 4_096
    private static let lettersAtOnce = 256
    private static let faultMicroseconds: UInt64 = 5_000_000

    /// The maximum number of kept records that cannot be delivered now; nil for all.
    var room: Int? { terms.lane.keepsFailed ? terms.lane.maxPending : 0 }
    var isOverfull: Bool { room.map { (pending ?? 0) > $0 } ?? false }

    /// Starts a pass; everything before it is stored and counted.
    mutating func pass(_ gate: inout GateState) -> [Action] {
        switch gate.permission() {
        case .go: break
        case .probe: hasProbe = true
        case .wait, .no: return makeRoom(&gate)
        }
        guard hasReplays else { return readPage() }
        // Later requests may be missing from the letters that are read, and need another pass.
        hasReplays = false
        phase = .readingLetters
        return [.work(.readLetters(limit: hasProbe ? 1 : CourierState.lettersAtOnce))]
    }

    /// Ends the work in progress because of a local problem.
    mutating func fail(_ reason: String, _ gate: inout GateState) -> [Action] {
        forgetFresh()
        return note(reason) + rest(.after(microseconds: CourierState.faultMicroseconds), &gate)
    }

    mutating func note(_ reason: String) -> [Action] {
        defer { fault = reason }
        return fault == reason ? [] : [.warn(reason)]
    }

    // MARK: Pages and dead letters

    private mutating func readPage() -> [Action] {
        phase = .readingPage(.init(pending: pending ?? 0, arrived: arrived))
        // A whole page even for a probe, because many records may be too old before one can be sent.
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
        switch phase {
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

    /// - Parameter records: The records of these letters that are still in the log.
    mutating func read(_ letters: [DeadLetter], of records: [Record], _ gate: inout GateState) -> [Action] {
        guard case .readingLetters = phase else { return [] }
        guard !letters.isEmpty else { return readPage() }
        // There may be more than one batch.
        hasReplays = true
        let known = Dictionary(letters.map { ($0.sequence, $0) }, uniquingKeysWith: { first, _ in first })
        // A letter is useless once its record is gone.
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

    /// Sends the parcels that may be sent next and stores results that must be stored first; or ends the round.
    private mutating func goOn(_ round: consuming DeliveryRound, _ gate: inout GateState) -> [Action] {
        var actions: [Action] = round.nextParcels(isAwaited: isAwaited, gate).map {
            .work(.handOver($0.records, next: $0.next, chain: $0.chain))
        }
        if let account = round.nextAccount(progress) { actions.append(store(account, gate)) }
        guard round.isOver else {
            phase = .carrying(round)
            return actions
        }
        return actions + close(round, &gate)
    }

    mutating func delivered(_ outcome: DeliveryOutcome, by chain: Int, _ gate: inout GateState) -> [Action] {
        guard case .carrying(var round) = phase else { return [] }
        // Moved out, so that the round is changed in place and not copied.
        phase = .resting(.records)
        let warning = round.delivered(outcome, by: chain, isStopped: isStopped, &gate)
        // A request that was never sent says nothing about the destination, so the next one is the probe.
        if hasProbe { gate.abandonProbe() }
        hasProbe = false
        return (warning.map { [.warn($0)] } ?? []) + goOn(round, &gate)
    }

    /// Continues the round after the store has accepted or refused outcomes.
    mutating func accounted(_ commit: DeliveryCommit?, _ gate: inout GateState) -> [Action] {
        guard case .carrying(var round) = phase else { return [] }
        phase = .resting(.records)
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

    /// Ends a round that is stored completely.
    mutating func end(_ round: DeliveryRound, _ gate: inout GateState) -> [Action] {
        let isOpen = gate.breaker.state == .closed
        switch round.source {
        case .letters(_, let areSent):
            // A probe is a single parcel, and its result is known now.
            if areSent, round.isProbe || !isOpen { return rest(isOpen ? .atOnce : .whenCalled, &gate) }
            return isAwaited ? rest(.whenCalled, &gate) : readPage()
        case .page(let mark):
            fault = nil
            var actions: [Action] = []
            if mark.removed > 0 { actions.append(.tellOfRemoval(upTo: progress.cursor)) }
            let isThrough = mark.isLast && progress.cursor >= mark.end
            if isThrough {
                pending = arrived - mark.arrived
                // The lane wants none of the records that came meanwhile.
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

    // MARK: While the gate is closed

    /// Drops excess records.
    private mutating func makeRoom(_ gate: inout GateState) -> [Action] {
        forgetFresh()
        let told = tellOfGate(gate)
        guard let room, let pending, pending > room else { return told + rest(.whenCalled, &gate) }
        phase = .readingExcess(pending - room)
        let limit = min(pending - room, CourierState.mostAhead) + progress.done.count
        return told + [
            .work(.readPage(after: progress, upTo: newest, filter, limit: limit, maxBytes: .max, fresh: nil))
        ]
    }

    /// Reports the last failure to all watchers, because no success can come soon.
    private func tellOfGate(_ gate: GateState) -> [Action] {
        gate.breaker.lastFailure.map { [.tellAll($0)] } ?? []
    }
}
