package import HarkCore
internal import HarkStore
package import HarkSystem
internal import HarkWire

/// Carries what one lane wants from the log to its destination, from where it left off, and keeps account of it.
///
/// What to do next its state decides, which is told of everything that happens; here it is done. A crash repeats the
/// parcels that were under way, and no more. Records of one session go one after the other; sessions go side by side as
/// far as the destination allows.
@DaemonActor
package final class Courier {
    package enum State: String, Sendable {
        case idle, delivering, waiting, off
    }

    /// To whoever wanted something done between two passes.
    package struct Answer: Sendable {
        /// Why it could not be done; it is asked for again later.
        package var reason: String?
        /// Whether something of the session that was to be forgotten had left the machine's care before.
        package var hadReceived = false
    }

    package let destination: any Destination
    package let gate: DeliveryGate

    private var course: CourierState
    private let reader: DeliveryReader
    private let commit: @DaemonActor (DeliveryCommit) async -> Bool
    private let timer: TimerSource
    private var watchers: [UInt64: (Result<Void, DeliveryFailure>) -> Void] = [:]
    /// Those who wait for an answer of the state's.
    private var asking: [CourierState.Ticket: CheckedContinuation<Answer, Never>] = [:]
    private var lastTicket = 0

    /// - Parameters:
    ///   - newest: The last record the log holds.
    ///   - commit: Makes an account durable; false when the store refused it.
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
        course = CourierState(terms, progress, isOn: isOn, newest: newest)
        // The timer cannot know its courier before there is one.
        let relay = Relay()
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 20_000) {
            relay.courier?.handle { $0.timeIsUp(&$1) }
        }
        relay.courier = self
        if progress.cursor > newest {
            warn(
                " is said to have come to record \(progress.cursor), but the log ends at \(newest); "
                    + "somebody or something changed hark.db. It goes on with what comes next")
        }
    }

    @DaemonActor
    private final class Relay {
        weak var courier: Courier?
    }

    // MARK: How it stands

    package var lane: Lane { course.terms.lane }
    /// How far it has come, as the store has it.
    package var progress: LaneProgress { course.progress }
    package var state: State { course.state }
    /// Records waiting to be delivered; nil until they were counted after the start.
    package var pending: Int? { course.pending }
    /// What went wrong on this side: the log could not be read, or the store did not take the account.
    package var fault: String? { course.fault }
    /// Whether anything is delivered at all.
    package var isOn: Bool { course.isOn }
    /// Whether nothing is under way.
    package var isResting: Bool { course.isResting }
    /// What became of records is not stored, as the store refused it.
    var isOwing: Bool { course.debt != nil }
    /// Somebody waits for the end of the pass under way.
    var isAwaited: Bool { course.isAwaited }
    /// Dead letters of this lane wait to be tried again.
    package var hasReplays: Bool {
        get { course.hasReplays }
        set { course.hasReplays = newValue }
    }

    // MARK: What comes in

    /// Begins with what was left by the run before.
    package func begin() { handle { $0.begin(&$1) } }

    /// Tells what was committed, and where the log ends now.
    package func notice(_ arrivals: Arrivals, newest sequence: UInt64) {
        let actions = course.notice(arrivals, newest: sequence, mayPass: gate.breaker.state == .closed)
        if !actions.isEmpty { handle { _, _ in actions } }
        if course.isCrowded { flush() }
    }

    /// Has everything read from the store that is not under way yet: what was told of it may not be all of it.
    package func forgetArrivals() { course.forgetFresh() }

    /// Hands over at once what there is.
    package func flush() { handle { $0.flush(&$1) } }

    /// Turns delivery on or off, between two passes. What was asked for last holds.
    package func turn(on wanted: Bool) async { _ = await ask(.turn(on: wanted)) }

    /// Stores how far the lane has come, between two passes; false when the store refuses.
    package func keep() async -> Bool { await ask(.keep).reason == nil }

    /// Carries again what lies behind a number, as far as the log reaches and not before the lane's beginning; false when the
    /// store refuses to say so. What of it had been accepted counts once more when it is accepted again.
    package func rewind(to sequence: UInt64) async -> Bool { await ask(.rewind(to: sequence)).reason == nil }

    /// Removes a session between two passes. All that was written of it must have been told before.
    ///
    /// One that was stopped leaves it to whoever has its place.
    package func forget(_ session: SessionIdentity) async -> Answer { await ask(.forget(session)) }

    /// Counts what waits, once after the start.
    package func count() async { _ = await ask(.count) }

    /// Begins no pass any more; `isResting` tells when the one under way is over.
    package func stop() { handle { state, _ in state.stop() } }

    /// Waits until nothing is under way.
    package func rested() async { _ = await ask(.rest) }

    private func ask(_ request: CourierState.Request) async -> Answer {
        await withCheckedContinuation { continuation in
            lastTicket += 1
            let ticket = lastTicket
            asking[ticket] = continuation
            handle { $0.ask(request, ticket, &$1) }
        }
    }

    /// Tells what becomes of a record, once: delivered, dropped, or not delivered at the first try.
    package func watch(_ sequence: UInt64, _ tell: @escaping (Result<Void, DeliveryFailure>) -> Void) {
        if course.isStopped { return tell(.failure(CourierState.stopped)) }
        watchers[sequence] = tell
    }

    package func unwatch(_ sequence: UInt64) {
        watchers[sequence] = nil
    }

    // MARK: What is to be done

    private typealias Event = (inout CourierState, inout GateState) -> [CourierState.Action]

    private func handle(_ event: Event) {
        if let work = follow(event) { DaemonActor.task { [self] in await perform(work) } }
    }

    /// Does what an event leads to at once, and begins what takes time, but for the first of it, which is returned.
    private func follow(_ event: Event) -> CourierState.Work? {
        var first: CourierState.Work?
        for action in gate.update({ event(&course, &$0) }) {
            switch action {
            case .work(let work) where first == nil: first = work
            case .work(let work): DaemonActor.task { [self] in await perform(work) }
            case .arm(let delay): timer.arm(afterMicroseconds: delay)
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

    /// Does what takes time, and the first of what that leads to, and so on.
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
