package import HarkCore
internal import HarkStore
package import HarkSystem
internal import HarkWire

/// Delivers the records of one lane from the log to its destination, from where it left off, and keeps its progress.
///
/// `CourierState` decides what to do next for every event; this class carries it out. A crash repeats the parcels in
/// progress, and no more. Records of one session are sequential; sessions are concurrent as far as the destination
/// allows.
@DaemonActor
package final class Courier {
    package enum State: String, Sendable {
        case idle, delivering, waiting, off
    }

    /// The answer to a request that is served between two passes.
    package struct Answer: Sendable {
        /// Why the request failed; the caller repeats it later.
        package var reason: String?
        /// Whether records of the session to be forgotten may have left the machine before.
        package var hadReceived = false
    }

    package let destination: any Destination
    package let gate: DeliveryGate

    private var logic: CourierState
    private let reader: DeliveryReader
    private let commit: @DaemonActor (DeliveryCommit) async -> Bool
    private var timer: TimerSource?
    private var watchers: [UInt64: (Result<Void, DeliveryFailure>) -> Void] = [:]
    /// The callers that wait for an answer.
    private var asking: [CourierState.Ticket: CheckedContinuation<Answer, Never>] = [:]
    private var lastTicket = 0

    /// - Parameters:
    ///   - newest: The last record of the log.
    ///   - commit: Stores progress and outcomes; false if the store refused.
    package init(
        _ destination: any Destination, lane: Lane, gate: DeliveryGate, isOn: Bool = true, progress: LaneProgress,
        newest: UInt64, reader: DeliveryReader, loop: EventLoop,
        commit: @escaping @DaemonActor (DeliveryCommit) async -> Bool
    ) throws(SystemError) {
        self.destination = destination
        self.gate = gate
        self.reader = reader
        self.commit = commit
        let terms = CourierState.Terms(destination: destination.name, lane: lane, batch: destination.batch)
        logic = CourierState(terms, progress, isOn: isOn, newest: newest)
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 20_000) { [weak self] in
            self?.handle { $0.timeIsUp(&$1) }
        }
        if progress.cursor > newest {
            warn(
                " has its position at record \(progress.cursor), but the log ends at \(newest); "
                    + "something has changed hark.db. It goes on with the next record")
        }
    }

    // MARK: State

    package var lane: Lane { logic.terms.lane }
    /// The progress as the store has it.
    package var progress: LaneProgress { logic.progress }
    package var state: State { logic.state }
    /// Records waiting to be delivered; nil until they are counted after the start.
    package var pending: Int? { logic.pending }
    /// A local problem: the log could not be read, or the store refused the progress.
    package var fault: String? { logic.fault }
    /// Whether delivery is turned on.
    package var isOn: Bool { logic.isOn }
    /// Whether nothing is in progress.
    package var isResting: Bool { logic.isResting }
    /// Whether the store has refused outcomes that must still be stored.
    var isOwing: Bool { logic.debt != nil }
    /// Whether a caller waits for the end of the current pass.
    var isAwaited: Bool { logic.isAwaited }
    /// Whether dead letters of this lane wait for a retry.
    package var hasReplays: Bool {
        get { logic.hasReplays }
        set { logic.hasReplays = newValue }
    }

    // MARK: Events

    /// Starts with the work that the previous run has left.
    package func begin() { handle { $0.begin(&$1) } }

    /// Notes committed records, and the new end of the log.
    package func notice(_ arrivals: Arrivals, newest sequence: UInt64) {
        let actions = logic.notice(arrivals, newest: sequence, mayPass: gate.breaker.state == .closed)
        if !actions.isEmpty { handle { _, _ in actions } }
        if logic.isCrowded { flush() }
    }

    /// Reads all further records from the store, because the reported ones may be incomplete.
    package func forgetArrivals() { logic.forgetFresh() }

    /// Delivers pending records now.
    package func flush() { handle { $0.flush(&$1) } }

    /// Turns delivery on or off, between two passes. The last request applies.
    package func turn(on wanted: Bool) async { _ = await ask(.turn(on: wanted)) }

    /// Stores the lane's progress, between two passes; false if the store refuses.
    package func keep() async -> Bool { await ask(.keep).reason == nil }

    /// Delivers everything after a number again, within the log and the lane's beginning; false if the store refuses
    /// the new cursor. A record that is accepted again is counted again.
    package func rewind(to sequence: UInt64) async -> Bool { await ask(.rewind(to: sequence)).reason == nil }

    /// Removes a session between two passes. All its records must have been reported before.
    ///
    /// A stopped courier leaves this to its successor.
    package func forget(_ session: SessionIdentity) async -> Answer { await ask(.forget(session)) }

    /// Counts the pending records, once after the start.
    package func count() async { _ = await ask(.count) }

    /// Starts no more passes; `isResting` tells when the current one has ended.
    package func stop() { handle { state, _ in state.stop() } }

    /// Waits until nothing is in progress.
    package func rested() async { _ = await ask(.rest) }

    private func ask(_ request: CourierState.Request) async -> Answer {
        await withCheckedContinuation { continuation in
            lastTicket += 1
            let ticket = lastTicket
            asking[ticket] = continuation
            handle { $0.ask(request, ticket, &$1) }
        }
    }

    /// Reports the first result of a record, once: delivered, dropped, or not delivered at the first try.
    package func watch(_ sequence: UInt64, _ tell: @escaping (Result<Void, DeliveryFailure>) -> Void) {
        if logic.isStopped { return tell(.failure(CourierState.stopped)) }
        watchers[sequence] = tell
    }

    package func unwatch(_ sequence: UInt64) {
        watchers[sequence] = nil
    }

    // MARK: Actions

    private typealias Event = (inout CourierState, inout GateState) -> [CourierState.Action]

    private func handle(_ event: Event) {
        if let work = follow(event) { DaemonActor.task { [self] in await perform(work) } }
    }

    /// Performs the immediate actions of an event and starts its work, except the first, which is returned.
    private func follow(_ event: Event) -> CourierState.Work? {
        var first: CourierState.Work?
        for action in gate.update({ event(&logic, &$0) }) {
            switch action {
            case .work(let work) where first == nil: first = work
            case .work(let work): DaemonActor.task { [self] in await perform(work) }
            case .arm(let delay): timer?.arm(afterMicroseconds: delay)
            case .answer(let ticket, let answer): asking.removeValue(forKey: ticket)?.resume(returning: answer)
            case .tell where watchers.isEmpty: break
            case .tell(let results):
                for (sequences, result) in results { for sequence in sequences { tell(sequence, result) } }
            case .tellOfRemoval(let last):
                for sequence in watchers.keys where sequence <= last { tell(sequence, .failure(CourierState.gone)) }
            case .tellAll(let failure): for sequence in watchers.keys { tell(sequence, .failure(failure)) }
            case .warn(let text): warn(": \(text)")
            }
        }
        gate.react()
        return first
    }

    private func tell(_ sequence: UInt64, _ result: Result<Void, DeliveryFailure>) {
        watchers.removeValue(forKey: sequence)?(result)
    }

    private func warn(_ text: String) {
        Log.warning("destination \(destination.name)\(text)", ["destination": destination.name])
    }

    /// Performs work, then the first work of the resulting event, and so on.
    private func perform(_ work: CourierState.Work) async {
        var next: CourierState.Work? = work
        while let work = next { next = follow(await event(of: work)) }
    }

    private func event(of work: CourierState.Work) async -> Event {
        do throws(StoreError) {
            switch work {
            case .handOver(let records, let next, let chain):
                let outcome = await destination.deliver(records, before: next)
                return { $0.delivered(outcome, by: chain, &$1) }
            case .store(let account):
                let isStored = await commit(account)
                return { $0.stored(isStored ? account : nil, &$1) }
            case .readPage(let progress, let newest, let filter, let limit, let maxBytes, let fresh):
                let page = try await reader.read(
                    after: progress.cursor, upTo: newest, filter, done: progress.done, limit: limit,
                    maxBytes: maxBytes, fresh: fresh)
                return { $0.read(page, &$1) }
            case .readLetters(let limit):
                let (letters, records) = try await reader.dueLetters(
                    of: destination.name, lane: lane.name, limit: limit)
                return { $0.read(letters, of: records, &$1) }
            case .count(let progress, let newest, let filter):
                let count = try await reader.count(progress, upTo: newest, filter)
                return { $0.counted(count, &$1) }
            case .readRemoved(let session, let filter):
                let (all, dead) = try await reader.sequences(ofRemoved: session, filter, to: destination.name)
                return { $0.read(ofRemoved: all, dead: dead, &$1) }
            case .forget(let session):
                let fault = await destination.forget(session)
                return { $0.forgot(fault, &$1) }
            }
        } catch {
            return { $0.unreadable("\(error)", &$1) }
        }
    }
}
