package import HarkCore
internal import HarkStore
package import HarkSystem

/// Carries records from the log to one destination, from where it left off, and keeps the cursor.
///
/// One pass at a time: read what comes after the cursor, hand it over, and once it is accepted store the new cursor.
/// A crash between the two repeats the batch. Removals run between passes, so a batch read before a removal can never
/// bring back what the removal took away.
@DaemonActor
package final class Courier {
    package enum State: String, Sendable {
        case idle, delivering, waiting, off
    }

    package let destination: any Destination
    package private(set) var cursor: UInt64
    package private(set) var state: State
    package private(set) var delivered = 0
    package private(set) var lastError: String?
    /// Whether anything is delivered at all; a pass under way ends first.
    package var isOn: Bool {
        didSet { if isOn != oldValue { rest(nil) } }
    }

    private let reader: DeliveryReader
    private let storeCursor: @DaemonActor (String, UInt64) async -> Bool
    private let timer: TimerSource
    private var newest: UInt64
    private var isRunning = false
    /// How many want no pass to begin.
    private var holds = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - cursor: The last record the destination has accepted.
    ///   - newest: The last record the log holds.
    ///   - storeCursor: Makes a new cursor durable; false when the store refused it.
    package init(
        _ destination: any Destination, isOn: Bool = true, cursor: UInt64, newest: UInt64, reader: DeliveryReader,
        loop: EventLoop, storeCursor: @escaping @DaemonActor (String, UInt64) async -> Bool
    ) throws(SystemError) {
        self.destination = destination
        self.isOn = isOn
        state = isOn ? .idle : .off
        self.cursor = cursor
        self.newest = newest
        self.reader = reader
        self.storeCursor = storeCursor
        // The timer cannot know its courier before there is one.
        let relay = Relay()
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 20_000) { relay.courier?.start() }
        relay.courier = self
    }

    @DaemonActor
    private final class Relay {
        weak var courier: Courier?
    }

    /// A pass may have read, and passed on, what the loop has not been told of yet.
    package var pending: UInt64 { newest > cursor ? newest - cursor : 0 }

    /// Tells that the log has grown. Records gather for a moment, so that a busy log costs few passes.
    package func notice(newest sequence: UInt64) {
        newest = sequence
        guard state == .idle, holds == 0, cursor < newest else { return }
        state = .waiting
        timer.arm(afterMicroseconds: destination.gatherMilliseconds * 1_000)
    }

    /// Hands over at once what there is.
    package func flush() {
        guard !isRunning else { return }
        timer.disarm()
        start()
    }

    /// Begins no pass any more; `isResting` tells when the one under way is over.
    package func stop() {
        holds += 1
        rest(nil)
    }

    package var isResting: Bool { !isRunning }

    /// Removes a session between two passes.
    package func forget(_ session: SessionIdentity) async -> String? {
        await hold()
        let reason = await destination.forget(session)
        holds -= 1
        rest(nil)
        return reason
    }

    /// Lets no pass begin, and returns when none is under way.
    private func hold() async {
        holds += 1
        timer.disarm()
        while isRunning {
            // The body may run a turn later, and the pass be over by then.
            await withCheckedContinuation { if isRunning { waiting.append($0) } else { $0.resume() } }
        }
        state = resting
    }

    private func start() {
        guard !isRunning, holds == 0, isOn else { return }
        isRunning = true
        state = .delivering
        DaemonActor.task { [self] in
            let delay = await pass()
            isRunning = false
            for continuation in waiting { continuation.resume() }
            waiting = []
            rest(delay)
        }
    }

    private func rest(_ delay: UInt64?) {
        guard !isRunning else { return }
        timer.disarm()
        state = resting
        guard isOn, holds == 0 else { return }
        if let delay {
            state = .waiting
            timer.arm(afterMicroseconds: delay)
        } else {
            notice(newest: newest)
        }
    }

    private var resting: State { isOn ? .idle : .off }

    /// One batch. Returns how long to wait before the next, in microseconds; nil when the log decides.
    private func pass() async -> UInt64? {
        let committed = newest
        let batch: DeliveryReader.Batch
        do {
            batch = try await reader.read(
                after: cursor, kinds: destination.recordKinds, limit: destination.batchLimit)
        } catch {
            return failed(error.message, afterSeconds: 5)
        }
        if !batch.records.isEmpty {
            if case .retry(let seconds, let reason) = await destination.deliver(batch.records) {
                return failed(reason, afterSeconds: seconds)
            }
            delivered += batch.records.count
        }
        // Records of other kinds and of removed sessions count as passed, up to what was committed when we looked.
        let reached = batch.next ?? max(committed, batch.records.last?.sequence ?? 0)
        guard reached > cursor else { return nil }
        guard await storeCursor(destination.name, reached) else {
            return failed("the store did not take the cursor", afterSeconds: 5)
        }
        cursor = reached
        lastError = nil
        return batch.next == nil ? nil : 0
    }

    private func failed(_ reason: String, afterSeconds seconds: Int) -> UInt64 {
        if lastError != reason {
            Log.warning("destination \(destination.name): \(reason)", ["destination": destination.name])
        }
        lastError = reason
        return UInt64(seconds) * 1_000_000
    }
}
