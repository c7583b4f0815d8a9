internal import HarkCore
internal import HarkWire

/// The parcels of one pass and their results. Pure.
///
/// A chain sends its next parcel only when the result of the last is stored. Results of other chains that arrive while
/// the store writes are stored together, so many chains need few commits.
struct DeliveryRound {
    private(set) var source: Source
    private(set) var progress: LaneProgress
    private(set) var refusals = Refusals()
    /// Results that are neither stored nor being stored.
    private(set) var outcomes = Outcomes()
    /// The number of records that are no longer pending after it.
    private(set) var settled = 0
    private(set) var isRefusedByStore = false
    let isProbe: Bool
    private let terms: CourierState.Terms
    private var chains: [DeliveryChain] = []
    private var accounting: Outcomes?

    /// - Parameter outcomes: Results that are known before anything is sent.
    init(
        _ records: [Record], from source: Source, _ progress: LaneProgress, outcomes: Outcomes, refusals: Refusals,
        isProbe: Bool, _ terms: CourierState.Terms, _ gate: GateState
    ) {
        self.source = source
        self.progress = progress
        self.outcomes = outcomes
        self.isProbe = isProbe
        self.terms = terms
        // A repeated refusal of dead letters says nothing about new records.
        if !isReplay { self.refusals = refusals }
        let oldest = (isReplay ? nil : terms.lane.maxAge).map { gate.ageNow.adding(milliseconds: Int64(-$0) * 1_000) }
        let due = takeDue(records, notBefore: oldest)
        deal(isProbe ? Array(due.prefix(1)) : due)
    }

    /// Returns the records to send, and drops those that are too old.
    private mutating func takeDue(_ records: [Record], notBefore oldest: Timestamp?) -> [Record] {
        // Usually all of them are due, and are not copied.
        if oldest == nil, progress.done.isEmpty { return records }
        var due: [Record] = []
        for record in records where !progress.done.contains(record.sequence) {
            if let oldest, record.receivedAt < oldest {
                drop(record, .age, DeliveryFailure(.dropped, "it is older than the destination takes"))
            } else {
                due.append(record)
            }
        }
        return due
    }

    /// Distributes the records to as many chains as may be concurrent; records of a session go to the same chain.
    private mutating func deal(_ records: [Record]) {
        let count = terms.batch.concurrency
        guard count > 1 else {
            chains = [DeliveryChain(rest: records[...])]
            return
        }
        var hands = [[Record]](repeating: [], count: count)
        for record in records { hands[Int(record.session.row.magnitude % UInt64(count))].append(record) }
        chains = hands.filter { !$0.isEmpty }.map { DeliveryChain(rest: $0[...]) }
    }

    private var isReplay: Bool { if case .letters = source { true } else { false } }

    // MARK: Parcels

    typealias Parcel = (chain: Int, records: ArraySlice<Record>, next: ArraySlice<Record>)

    /// Whether nothing is in progress, and nothing more will be.
    var isOver: Bool { chains.allSatisfy { if case .over = $0.state { true } else { false } } }

    /// The parcels to send now, and their chains.
    /// - Parameter isAwaited: Whether a caller waits for the end of the pass.
    mutating func nextParcels(isAwaited: Bool, _ gate: GateState) -> [Parcel] {
        var parcels: [Parcel] = []
        for place in chains.indices {
            switch chains[place].state {
            case .ready: break
            case .unaccounted where isRefusedByStore: break
            case .unaccounted, .accounting, .handingOver, .over: continue
            }
            if !isAwaited, !isRefusedByStore, gate.breaker.state == .closed || isProbe,
                let parcel = chains[place].nextParcel(terms.batch)
            {
                chains[place].state = .handingOver(parcel, period: gate.period)
                parcels.append((place, parcel, chains[place].following(terms.batch)))
            } else {
                chains[place].state = .over
            }
        }
        return parcels
    }

    /// Notes the result of a chain's parcel. Returns a warning to log, if any.
    mutating func delivered(
        _ outcome: DeliveryOutcome, by place: Int, isStopped: Bool, _ gate: inout GateState
    ) -> String? {
        guard case .handingOver(let parcel, let period) = chains[place].state else { return nil }
        chains[place].state = .unaccounted
        switch outcome {
        case .accepted: accept(parcel, &gate)
        case .partlyRefused(let count, let reason) where count >= parcel.count:
            gate.succeeded()
            for record in parcel { bury(record, .refused, DeliveryFailure(.refused, reason), gate) }
        case .partlyRefused(let count, let reason):
            accept(parcel, &gate)
            progress.noteRefused(count)
            outcomes.refused += count
            return "refused \(count) of \(parcel.count) entries: \(reason)"
        case .failed(let failure):
            chains[place].state = .over
            // A local abort says nothing about the destination; a failure due to a network change is retried at once
            // and not counted.
            if failure.kind == .local && isStopped || gate.isOutdated(failure, since: period) { return nil }
            if failure.isTransient {
                gate.failed(failure)
                postpone(parcel, failure, since: period, gate)
            } else if parcel.count > 1, isWorthSplitting(failure) {
                if failure.kind == .refused { gate.succeeded() }
                let middle = parcel.startIndex + parcel.count / 2
                chains[place].halves += [parcel[middle...], parcel[..<middle]]
                chains[place].state = .ready
            } else {
                refuse(parcel, failure, &gate)
                if failure.kind != .unauthorized { chains[place].state = .unaccounted }
            }
        }
        return nil
    }

    private func isWorthSplitting(_ failure: DeliveryFailure) -> Bool {
        failure.kind == .tooLarge || failure.kind == .refused && refusals.areWorthSplitting
    }

    private mutating func refuse(_ parcel: ArraySlice<Record>, _ failure: DeliveryFailure, _ gate: inout GateState) {
        if failure.kind == .refused { refusals.refused() }
        switch failure.kind {
        // An error for all requests must not empty the buffer at once.
        case .unauthorized: gate.failed(failure)
        // The request was never sent.
        case .unsendable: break
        // The server answers, so it is available.
        default: gate.succeeded()
        }
        let isTooLarge = failure.kind == .tooLarge || failure.kind == .unsendable
        for record in parcel { bury(record, isTooLarge ? .tooLarge : .refused, failure, gate) }
    }

    private mutating func accept(_ parcel: ArraySlice<Record>, _ gate: inout GateState) {
        gate.succeeded()
        refusals.accepted()
        let sequences = parcel.sequences
        if areNext(sequences), let last = sequences.last {
            progress.acceptNext(sequences.count, upTo: last)
        } else {
            progress.accept(sequences)
        }
        if isReplay { outcomes.accepted += sequences } else { settle(parcel.count) }
        outcomes.results.append((sequences, .success(())))
    }

    /// Whether these are the first records of the page after the cursor, without gaps.
    private func areNext(_ sequences: [UInt64]) -> Bool {
        guard case .page(let mark) = source, let first = sequences.first, let last = sequences.last else {
            return false
        }
        var (low, high) = (0, mark.sequences.count)
        while low < high {
            let middle = (low + high) / 2
            if mark.sequences[middle] <= progress.cursor { low = middle + 1 } else { high = middle }
        }
        let end = low + sequences.count
        return end <= mark.sequences.count && mark.sequences[low] == first && mark.sequences[end - 1] == last
    }

    private mutating func postpone(
        _ parcel: ArraySlice<Record>, _ failure: DeliveryFailure, since period: Int, _ gate: GateState
    ) {
        if isReplay { return }
        let counts = gate.counts(failure, since: period, asProbe: isProbe)
        for record in parcel {
            if !terms.lane.keepsFailed {
                drop(record, .notKept, failure)
            } else if counts, let most = gate.policy.maxAttempts, progress.countAttempt(of: record.sequence) >= most {
                bury(record, .attempts, failure, gate)
            } else {
                outcomes.results.append(([record.sequence], .failure(failure)))
            }
        }
    }

    private mutating func drop(_ record: Record, _ reason: LaneProgress.Drop, _ failure: DeliveryFailure) {
        progress.drop(record.sequence, reason)
        if !isReplay { settle(1) }
        outcomes.results.append(([record.sequence], .failure(failure)))
    }

    /// Drops a record and keeps it as a dead letter.
    private mutating func bury(
        _ record: Record, _ reason: LaneProgress.Drop, _ failure: DeliveryFailure, _ gate: GateState
    ) {
        drop(record, reason, failure)
        outcomes.deadLetters.append(
            DeadLetter(
                destination: terms.destination, sequence: record.sequence, lane: terms.lane.name,
                cause: reason.rawValue, session: record.session.row, at: gate.now, status: failure.status,
                reason: failure.explanation))
    }

    /// Counts records that are no longer pending.
    private mutating func settle(_ count: Int) {
        settled += count
        outcomes.settled += count
    }

    // MARK: Stored results

    /// The results to store next; nil while a commit is in progress, and if no chain waits for one.
    mutating func nextAccount(_ stored: LaneProgress) -> Account? {
        guard accounting == nil, !isRefusedByStore else { return nil }
        var isWaitedFor = false
        for place in chains.indices {
            guard case .unaccounted = chains[place].state else { continue }
            chains[place].state = .accounting
            isWaitedFor = true
        }
        guard isWaitedFor else { return nil }
        let told = outcomes
        (accounting, outcomes) = (told, Outcomes())
        return account(of: told, stored)
    }

    /// Notes the result of a commit and returns the stored results; after a refusal, everything is stored again later.
    mutating func accounted(isStored: Bool) -> Outcomes {
        guard let told = accounting else { return Outcomes() }
        accounting = nil
        for place in chains.indices {
            if case .accounting = chains[place].state { chains[place].state = .ready }
        }
        guard !isStored else { return told }
        isRefusedByStore = true
        let since = outcomes
        outcomes = told
        outcomes.append(since)
        return Outcomes()
    }

    /// The results that remain to be stored at the end.
    mutating func lastAccount(_ stored: LaneProgress) -> Account {
        var account = account(of: outcomes, stored)
        if case .page(var mark) = source, mark.isLast, account.progress.cursor >= mark.end {
            // Pending records that no longer exist were removed meanwhile.
            let missing = max(0, mark.pending - mark.removed - settled)
            account.progress.noteRemoved(missing)
            account.outcomes.settled += missing
            mark.removed += missing
            source = .page(mark)
        }
        return account
    }

    private func account(of outcomes: Outcomes, _ stored: LaneProgress) -> Account {
        switch source {
        case .page(let mark):
            var next = progress
            next.advance(over: mark.sequences, to: mark.end)
            return Account(next, outcomes)
        case .letters(let letters, _):
            // Retried letters were counted when they became dead letters.
            var next = stored
            for sequence in outcomes.accepted {
                let cause = letters[sequence].flatMap { LaneProgress.Drop(rawValue: $0.cause) }
                if let cause { next.redeem(cause) }
            }
            next.noteRefused(outcomes.refused)
            var told = outcomes
            told.deadLetters = outcomes.deadLetters.compactMap { dead in
                letters[dead.sequence].map { old in
                    DeadLetter(
                        destination: old.destination, sequence: old.sequence, lane: old.lane, cause: old.cause,
                        session: old.session, at: dead.at, status: dead.status, reason: dead.reason,
                        replays: old.replays)
                }
            }
            return Account(next, told)
        }
    }
}
