internal import HarkCore
internal import HarkSystem
internal import HarkWire

/// The parcels of one pass and what becomes of them.
///
/// Before a chain hands its next parcel over, what became of the last is stored. What the others meet while the store
/// writes goes with the next account, so many chains share a few.
@DaemonActor
final class DeliveryRound {
    private(set) var progress: LaneProgress
    /// What is not stored yet.
    var outcomes = Outcomes()
    /// Records that are no longer pending after it.
    private(set) var settled = 0

    private let destination: any Destination
    private let lane: Lane
    private let gate: DeliveryGate
    /// Somebody waits for the end of the pass.
    private let isAwaited: @DaemonActor () -> Bool
    /// The requests under way may have been given up.
    private let isStopped: @DaemonActor () -> Bool
    private let isProbe: Bool
    /// Dead letters tried again: they have no tries to count, and no age.
    private let isReplay: Bool
    private(set) var refusals: Refusals

    /// Stores the progress so far with what has come to it since the last time; false when the store refuses.
    private let store: @DaemonActor (LaneProgress, Outcomes) async -> Bool
    private var isStoring = false
    private(set) var isRefusedByStore = false
    /// How many parcels have come to something, and how many of these the store knows of.
    private var parcels = 0
    private var storedParcels = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(
        _ courier: Courier, _ progress: LaneProgress, isProbe: Bool, isReplay: Bool = false,
        refusals: Refusals = Refusals(), store: @escaping @DaemonActor (LaneProgress, Outcomes) async -> Bool
    ) {
        destination = courier.destination
        lane = courier.lane
        gate = courier.gate
        isAwaited = { courier.isAwaited }
        isStopped = { courier.isStopped }
        self.progress = progress
        self.isProbe = isProbe
        self.isReplay = isReplay
        self.refusals = refusals
        self.store = store
    }

    func run(_ records: [Record]) async {
        var due: [Record] = []
        let oldest = (isReplay ? nil : lane.maxAge).map { gate.ageNow.adding(milliseconds: Int64(-$0) * 1_000) }
        for record in records where !progress.done.contains(record.sequence) {
            if let oldest, record.at < oldest {
                drop(record, .age, DeliveryFailure(.dropped, "it is older than the destination takes"))
            } else {
                due.append(record)
            }
        }
        if isProbe { due = Array(due.prefix(1)) }
        let chains = chains(of: due)
        if chains.count <= 1 {
            if let chain = chains.first { await carry(chain) }
            return
        }
        let tasks = chains.map { chain in DaemonActor.task { [self] in await carry(chain) } }
        for task in tasks { await task.value }
    }

    /// The records dealt out to as many as may be under way at a time, those of one session to the same.
    private func chains(of records: [Record]) -> [[Record]] {
        let count = destination.batch.concurrency
        guard count > 1 else { return records.isEmpty ? [] : [records] }
        var chains = [[Record]](repeating: [], count: count)
        for record in records { chains[Int(record.session.row.magnitude % UInt64(count))].append(record) }
        return chains.filter { !$0.isEmpty }
    }

    /// Hands over parcel by parcel until one fails that may pass later, here or in another chain.
    private func carry(_ chain: [Record]) async {
        var rest = chain[...]
        // Halves of parcels that did not pass as a whole, the next one last.
        var halves: [ArraySlice<Record>] = []
        while !isAwaited(), !isRefusedByStore, gate.breaker.state == .closed || isProbe,
            let parcel = halves.popLast() ?? nextParcel(of: &rest)
        {
            switch await hand(over: Array(parcel)) {
            case .goOn: await storeOutcomes()
            case .wait: return
            case .split:
                let middle = parcel.startIndex + parcel.count / 2
                halves += [parcel[middle...], parcel[..<middle]]
            }
        }
    }

    /// So many records wait no longer.
    private func settle(_ count: Int) {
        settled += count
        outcomes.settled += count
    }

    /// Returns once the store knows what became of all parcels so far, or has refused to.
    private func storeOutcomes() async {
        parcels += 1
        let mine = parcels
        while storedParcels < mine, !isRefusedByStore {
            if isStoring {
                // The body may run a turn later, and the account be over by then.
                await withCheckedContinuation { if isStoring { waiting.append($0) } else { $0.resume() } }
                continue
            }
            isStoring = true
            let (told, latest) = (outcomes, parcels)
            outcomes = Outcomes()
            if await store(progress, told) {
                storedParcels = latest
            } else {
                isRefusedByStore = true
                let since = outcomes
                outcomes = told
                outcomes.append(since)
            }
            isStoring = false
            for continuation in waiting { continuation.resume() }
            waiting = []
        }
    }

    private func nextParcel(of rest: inout ArraySlice<Record>) -> ArraySlice<Record>? {
        guard !rest.isEmpty else { return nil }
        let parcel = rest.prefix(parcelLength(rest))
        rest = rest.dropFirst(parcel.count)
        return parcel
    }

    private func parcelLength(_ records: ArraySlice<Record>) -> Int {
        let limits = destination.batch
        var bytes = 0
        var count = 0
        for record in records.prefix(limits.entries) {
            bytes += record.properties.bytes.count + record.name.utf8.count + 128
            if count > 0, bytes > limits.bytes { break }
            count += 1
        }
        return count
    }

    private enum Next {
        case goOn
        /// The parcel's halves come first.
        case split
        /// What follows must wait.
        case wait
    }

    private func hand(over parcel: [Record]) async -> Next {
        let spell = gate.spell
        switch await destination.deliver(parcel) {
        case .accepted:
            accept(parcel)
            return .goOn
        case .partlyRefused(let count, let reason) where count >= parcel.count:
            gate.succeeded()
            for record in parcel { bury(record, .refused, DeliveryFailure(.refused, reason)) }
            return .goOn
        case .partlyRefused(let count, let reason):
            accept(parcel)
            progress.noteRefused(count)
            outcomes.refused += count
            Log.warning(
                "destination \(destination.name) refused \(count) of \(parcel.count) entries: \(reason)",
                ["destination": destination.name])
            return .goOn
        case .failed(let failure) where failure.kind == .local && isStopped():
            // Given up on this side, which says nothing about the other.
            return .wait
        case .failed(let failure) where gate.isOutdated(failure, since: spell):
            // It is tried again at once, as if it had not been.
            return .wait
        case .failed(let failure) where failure.isTransient:
            gate.failed(failure)
            postpone(parcel, failure, since: spell)
            return .wait
        case .failed(let failure) where failure.kind == .tooLarge && parcel.count > 1: return .split
        case .failed(let failure) where failure.kind == .refused && parcel.count > 1 && refusals.areWorthSplitting:
            gate.succeeded()
            return .split
        case .failed(let failure):
            if failure.kind == .refused { refusals.refused() }
            switch failure.kind {
            // What it says to everything must not empty the buffer at once.
            case .unauthorized: gate.failed(failure)
            // It never came to a request.
            case .unsendable: break
            // The server answers, so it is there.
            default: gate.succeeded()
            }
            for record in parcel {
                bury(record, failure.kind == .tooLarge || failure.kind == .unsendable ? .tooLarge : .refused, failure)
            }
            return failure.kind == .unauthorized ? .wait : .goOn
        }
    }

    private func accept(_ parcel: [Record]) {
        gate.succeeded()
        refusals.accepted()
        progress.accept(parcel.lazy.map(\.sequence))
        if isReplay { outcomes.accepted += parcel.lazy.map(\.sequence) } else { settle(parcel.count) }
        for record in parcel { outcomes.results.append((record.sequence, .success(()))) }
    }

    private func postpone(_ parcel: [Record], _ failure: DeliveryFailure, since spell: Int) {
        if isReplay { return }
        let counts = gate.counts(failure, since: spell, asProbe: isProbe)
        for record in parcel {
            if !lane.keepsFailed {
                drop(record, .notKept, failure)
            } else if counts, let most = gate.policy.maxAttempts, progress.countAttempt(of: record.sequence) >= most {
                bury(record, .attempts, failure)
            } else {
                outcomes.results.append((record.sequence, .failure(failure)))
            }
        }
    }

    private func drop(_ record: Record, _ reason: LaneProgress.Drop, _ failure: DeliveryFailure) {
        progress.drop(record.sequence, reason)
        if !isReplay { settle(1) }
        outcomes.results.append((record.sequence, .failure(failure)))
    }

    /// Drops a record and keeps it where somebody can find it.
    private func bury(_ record: Record, _ reason: LaneProgress.Drop, _ failure: DeliveryFailure) {
        drop(record, reason, failure)
        outcomes.deadLetters.append(
            DeadLetter(
                destination: destination.name, sequence: record.sequence, lane: lane.name, cause: reason.rawValue,
                session: record.session.row, at: gate.now, status: failure.status, reason: failure.reason))
    }
}
