package import HarkCore
package import HarkSystem
internal import HarkWire

/// Delivers to a sink: asks for its position before anything is sent, and does not send records again that the sink has.
///
/// Either side may have been set back to an earlier state. A sink that was set back gets again the records that the store
/// still has. If the store was set back, records that the sink has are skipped, and records with reused numbers belong
/// to another log from there on (`SinkLog`).
@DaemonActor
package final class SinkDestination: Destination {
    /// The services of the store that it needs.
    package struct Keeping: Sendable {
        /// Returns the last number that the store has given.
        package let newest: @DaemonActor () -> UInt64
        /// Stores the bounds of a batch on disk, before it is sent.
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
    /// Whether records removed from the store are removed from the sink.
    package nonisolated let forgetsWhatItHas: Bool

    let sink: any Sink
    let reader: DeliveryReader
    let keeping: Keeping
    let identity: SinkIdentity
    /// The ids of the store's log, as of the last question to the sink.
    var log = SinkLog(Identifier(high: 0, low: 0))
    /// The last accepted record, as stored. A sink with an earlier position was set back.
    package internal(set) var sent: UInt64
    /// The bounds of the last batch that was sent and may have arrived.
    private(set) var bounds: ClosedRange<UInt64>?
    /// The position up to which the sink has all records; nil if it must be asked.
    var standing: UInt64?
    /// When the sink last answered, in microseconds of the monotonic clock.
    var heardAt: UInt64 = 0
    /// Notes for the administrator.
    package internal(set) var notes: [String] = []
    /// The reason why the sink could not be asked.
    package internal(set) var problem: String?

    private var prepared: (batch: SinkBatch, data: Task<[UInt8], Never>)?
    // The courier retains its destination, so these are released at the end.
    var courier: Courier?
    var gate: DeliveryGate?
    var timer: TimerSource?
    var patience = SinkDestination.shortest
    var isGoingBack = false
    var isClosed = false
    private var pace = SinkPace()
    private var pause: TimerSource?
    private var paused: [CheckedContinuation<Void, Never>] = []
    /// Only one task at a time uses the sink.
    let turnstile = Turnstile()

    static let shortest: UInt64 = 1_000_000
    static let longest: UInt64 = 60_000_000

    /// - Parameters:
    ///   - sent: The last accepted record, as stored; 0 for none.
    ///   - bounds: The bounds of the last batch, as stored.
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

    /// Starts: asks for the position, even if there is nothing to send.
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
            // Records that were skipped, and are sent once more.
            let isReplay = first.sequence <= courier.progress.cursor || courier.progress.done.contains(first.sequence)
            if isReplay {
                try await append(
                    SinkBatch(log: log, records: records, bounds: bounds(of: records), mark: nil), next: [])
                return .accepted
            }
            // The sink has the earlier ones, by its own position.
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

    /// Whether the sink has not answered for long. A server that only answers requests does not report that it was set back.
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
                // This part was sent before, and is sent again unchanged.
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
        // The next part is encoded while this one is being sent.
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
            // A refused batch is certainly not there. After any other failure, that is unknown.
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
            // This may be the first question to the sink.
            log = try await currentLog()
            try await sink.remove(session.machineSession ?? session.id, of: session.machine.map { [$0.log] } ?? log.all)
            return nil
        } catch {
            standing = nil
            return error.reason
        }
    }

    // MARK: Pace

    /// Waits while recording goes first, unless a caller waits for this delivery or its end.
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
