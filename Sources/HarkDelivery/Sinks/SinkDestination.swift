package import HarkCore
package import HarkSystem
internal import HarkWire

/// The way to a sink: where it stands is asked before anything is sent, and what it has is not sent again.
///
/// Either side may have been set back to an earlier state. A sink that stands earlier than it did is given again what the store
/// still has. A store that stands earlier than the sink passes what that has, and where it gives numbers again, its records are
/// of another log from there on (`SinkLog`).
@DaemonActor
package final class SinkDestination: Destination {
    /// What it needs of the store.
    package struct Keeping: Sendable {
        /// The last number that the store has given.
        package let newest: @DaemonActor () -> UInt64
        /// Keep the bounds of a batch, on disk, before it is sent.
        package let bounds: @DaemonActor (ClosedRange<UInt64>) async -> Bool

        package init(
            newest: @escaping @DaemonActor () -> UInt64,
            bounds: @escaping @DaemonActor (ClosedRange<UInt64>) async -> Bool
        ) {
            self.newest = newest
            self.bounds = bounds
        }
    }

    package nonisolated let name: String
    package nonisolated var kind: String { sink.kind }
    package nonisolated let batch: BatchLimits
    /// Whether what is removed from the store is removed there.
    package nonisolated let forgetsWhatItHas: Bool

    let sink: any Sink
    let reader: DeliveryReader
    let keeping: Keeping
    let identity: SinkIdentity
    /// What the store is called, as it was when the sink was asked.
    var log = SinkLog(Identifier(high: 0, low: 0))
    /// The last record that it has accepted, as the store keeps it: a sink that stands earlier was set back.
    package internal(set) var sent: UInt64
    /// Of the batch that was sent last and may have arrived.
    private(set) var bounds: ClosedRange<UInt64>?
    /// Up to where it has all; nil while that is to be asked.
    var standing: UInt64?
    /// When it last said anything, in microseconds of the monotonic clock.
    var heardAt: UInt64 = 0
    /// What somebody should know of it.
    package internal(set) var notes: [String] = []
    /// Why it could not be asked.
    package internal(set) var problem: String?

    private var prepared: (batch: SinkBatch, data: Task<[UInt8], Never>)?
    // The courier holds its destination, so these are let go of at the end.
    var courier: Courier?
    var gate: DeliveryGate?
    var timer: TimerSource?
    var patience = SinkDestination.shortest
    var isGoingBack = false
    var isClosed = false
    private var pace = SinkPace()
    private var pause: TimerSource?
    private var paused: [CheckedContinuation<Void, Never>] = []
    /// One at a time talks to the sink.
    let turnstile = Turnstile()

    static let shortest: UInt64 = 1_000_000
    static let longest: UInt64 = 60_000_000

    /// - Parameters:
    ///   - sent: as the store has it; 0 before anything was accepted.
    ///   - bounds: as the store has them.
    package init(
        name: String, _ sink: any Sink, batch: BatchLimits, followsRemovals: Bool, identity: SinkIdentity, sent: UInt64,
        bounds: ClosedRange<UInt64>?, keeping: Keeping, reader: DeliveryReader, loop: EventLoop
    ) throws(SystemError) {
        self.name = name
        self.sink = sink
        self.batch = batch
        forgetsWhatItHas = followsRemovals
        self.identity = identity
        self.sent = sent
        self.bounds = bounds
        self.keeping = keeping
        self.reader = reader
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 100_000) { [weak self] in self?.look() }
        pause = try loop.timer(clock: .monotonic, accuracyMicroseconds: 10_000) { [weak self] in self?.goOn() }
    }

    /// Begins: asks where the sink stands, though there may be nothing to send.
    package func start(_ courier: Courier, _ gate: DeliveryGate) {
        self.courier = courier
        self.gate = gate
        sink.onLost = { [weak self] in self?.lost() }
        if courier.isOn { look() }
    }

    package func close() {
        isClosed = true
        sink.onLost = {}
        sink.close()
        timer?.cancel()
        timer = nil
        pause?.cancel()
        pause = nil
        goOn()
        courier = nil
        gate = nil
    }

    // MARK: Records

    package func deliver(_ records: ArraySlice<Record>, before next: ArraySlice<Record>) async -> DeliveryOutcome {
        await giveWay()
        await turnstile.enter()
        let begin = SystemClock.monotonicMicroseconds
        defer {
            let now = SystemClock.monotonicMicroseconds
            pace.sent(in: now &- begin, at: now)
            turnstile.leave()
        }
        do throws(DeliveryFailure) {
            if standing == nil || isLongAgo { try await ask() }
            guard !isGoingBack, let standing, let courier, !isClosed else {
                throw DeliveryFailure(.local, retryAfter: 0.2, "it is gone back to where \(sink.place) stands")
            }
            guard let first = records.first else { return .accepted }
            // What was left out before, and is tried once more.
            let isReplay = first.sequence <= courier.progress.cursor || courier.progress.done.contains(first.sequence)
            if isReplay {
                try await append(
                    SinkBatch(log: log, records: records, bounds: bounds(of: records), mark: nil), next: [])
                return .accepted
            }
            // The sink has said that it has the others.
            var rest = records.drop { $0.sequence <= standing }
            while !rest.isEmpty {
                let batch = try await nextBatch(&rest)
                try await append(batch, next: rest.isEmpty ? next : [])
            }
            if let last = records.last { sent = max(sent, last.sequence) }
            return .accepted
        } catch {
            return .failed(error)
        }
    }

    /// Of a server that is asked by requests alone, nobody hears that it was set back.
    private var isLongAgo: Bool {
        !sink.tellsWhenLost
            && SystemClock.monotonicMicroseconds - min(heardAt, SystemClock.monotonicMicroseconds) > Self.longAgo
    }

    private static let longAgo: UInt64 = 60_000_000

    private func bounds(of records: ArraySlice<Record>) -> ClosedRange<UInt64> {
        let first = records.first?.sequence ?? 0
        return first...max(first, records.last?.sequence ?? first)
    }

    private func nextBatch(_ rest: inout ArraySlice<Record>) async throws(DeliveryFailure) -> SinkBatch {
        var part = rest
        var own = bounds(of: rest)
        if sink.needsBounds {
            if let bounds, bounds.contains(own.lowerBound), bounds.upperBound <= own.upperBound {
                // It was sent before, and is sent as it was.
                part = rest.prefix { $0.sequence <= bounds.upperBound }
                own = bounds
            } else {
                guard await keeping.bounds(own) else {
                    throw DeliveryFailure(.local, retryAfter: 5, "the store could not keep the bounds of a batch")
                }
                bounds = own
            }
        }
        rest = rest.dropFirst(part.count)
        let mark = part.last.map { SinkMark(sequence: own.upperBound, id: $0.id) }
        return SinkBatch(log: log, records: part, bounds: own, mark: mark)
    }

    private func append(_ batch: SinkBatch, next: ArraySlice<Record>) async throws(DeliveryFailure) {
        let data = prepare(batch)
        prepared = nil
        // The next is put together while this one is under way.
        if next.count > 1, !sink.needsBounds || bounds?.upperBound == batch.bounds.upperBound {
            let range = bounds(of: next)
            let mark = next.last.map { SinkMark(sequence: $0.sequence, id: $0.id) }
            let following = SinkBatch(log: log, records: next, bounds: range, mark: mark)
            prepared = (following, encode(following))
        }
        switch await sink.append(batch, data.value) {
        case .appended:
            heardAt = SystemClock.monotonicMicroseconds
            if let mark = batch.mark { standing = mark.sequence }
        case .taken(let sequence):
            guard sequence > log.begin else {
                throw DeliveryFailure(.refused, "\(sink.place) has another record of an earlier log under that number")
            }
            try await fork(after: sequence - 1)
            throw DeliveryFailure(.local, retryAfter: 0.2, "what \(sink.place) has is of another history of this log")
        case .failed(let failure):
            // Refused is what never will be there; of all else nobody knows whether it is.
            if failure.isTransient { standing = nil }
            throw failure
        }
    }

    private func prepare(_ batch: SinkBatch) -> Task<[UInt8], Never> {
        if let prepared, prepared.batch.bounds == batch.bounds, prepared.batch.log == batch.log,
            prepared.batch.records.count == batch.records.count, prepared.batch.mark == batch.mark
        {
            return prepared.data
        }
        return encode(batch)
    }

    private func encode(_ batch: SinkBatch) -> Task<[UInt8], Never> {
        DaemonActor.task { [reader, sink] in await reader.work { sink.encode(batch) } }
    }

    // MARK: Removals

    package func forget(_ session: SessionIdentity) async -> String? {
        guard forgetsWhatItHas else { return nil }
        await turnstile.enter()
        defer { turnstile.leave() }
        do throws(DeliveryFailure) {
            // It may be the first that is asked of it.
            log = try await currentLog()
            try await sink.remove(session.machineSession ?? session.id, of: session.machine.map { [$0.log] } ?? log.all)
            return nil
        } catch {
            standing = nil
            return error.reason
        }
    }

    // MARK: Pace

    /// Waits while recording goes first, unless somebody waits for this delivery or its end.
    private func giveWay() async {
        while let courier, !isClosed, !courier.isAwaited {
            let wait = pace.wait(newest: keeping.newest(), at: SystemClock.monotonicMicroseconds)
            guard wait > 0, let pause else { return }
            pause.arm(afterMicroseconds: wait)
            await withCheckedContinuation { paused.append($0) }
        }
    }

    private func goOn() {
        for continuation in paused { continuation.resume() }
        paused = []
    }
}
