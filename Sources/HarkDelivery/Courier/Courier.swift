internal import HarkCore
internal import HarkStore
package import HarkSystem
internal import HarkWire

/// Carries what one lane wants from the log to its destination, from where it left off, and keeps account of it.
///
/// One pass at a time: read what comes after the cursor, hand it over parcel by parcel, and store what became of each
/// before the next one follows it: a crash repeats the parcels that were under way, and no more. Records of one session go one after the other; sessions go side by side as far
/// as the destination allows. Removals run between passes, so what was read before a removal can never come back.
@DaemonActor
package final class Courier {
    package enum State: String, Sendable {
        case idle, delivering, waiting, off
    }

    package let destination: any Destination
    package let lane: Lane
    package let gate: DeliveryGate
    package internal(set) var progress: LaneProgress
    package private(set) var state: State
    /// Records waiting to be delivered; nil until they were counted after the start.
    package internal(set) var pending: Int?
    /// What went wrong on this side: the log could not be read, or the store did not take the account.
    package internal(set) var fault: String?
    /// Whether anything is delivered at all.
    package private(set) var isOn: Bool
    private var isWantedOn: Bool
    /// Dead letters of this lane wait to be tried again.
    package var hasReplays = false

    let reader: DeliveryReader
    private let commit: @DaemonActor (DeliveryCommit) async -> Bool
    private let timer: TimerSource
    private var isArmed = false
    /// The last record the log holds.
    private(set) var newest: UInt64
    /// Records of this lane that came since the start.
    private(set) var arrived = 0
    /// What became of records that were handed over, and is not stored yet. Nothing more is sent before it is.
    var debt: Debt?
    var refusals = Refusals()
    private var counting: Task<Void, Never>?
    private var isRunning = false
    /// How many want no pass to begin.
    private var holds = 0
    private(set) var isStopped = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var watchers: [UInt64: (Result<Void, DeliveryFailure>) -> Void] = [:]

    /// - Parameters:
    ///   - newest: The last record the log holds.
    ///   - commit: Makes an account durable; false when the store refused it.
    package init(
        _ destination: any Destination, lane: Lane, gate: DeliveryGate, isOn: Bool = true, progress: LaneProgress,
        newest: UInt64, reader: DeliveryReader, loop: EventLoop,
        commit: @escaping @DaemonActor (DeliveryCommit) async -> Bool
    ) throws(SystemError) {
        self.destination = destination
        self.lane = lane
        self.gate = gate
        self.isOn = isOn
        isWantedOn = isOn
        state = isOn ? .idle : .off
        self.progress = progress
        self.newest = newest
        self.reader = reader
        self.commit = commit
        // The timer cannot know its courier before there is one.
        let relay = Relay()
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 20_000) { relay.courier?.timeIsUp() }
        relay.courier = self
        if progress.cursor > newest {
            Log.warning(
                "destination \(destination.name) is said to have come to record \(progress.cursor), but the log ends at "
                    + "\(newest); somebody or something changed hark.db. It goes on with what comes next",
                ["destination": destination.name])
            self.progress.comeBack(to: newest)
        }
        if lane.skipsWhileOff {
            if isOn { self.progress.goOn(at: newest) } else { self.progress.pause(at: newest) }
        }
        if progress.cursor >= newest { pending = 0 }
    }

    @DaemonActor
    private final class Relay {
        weak var courier: Courier?
    }

    // MARK: What comes in

    /// Begins with what was left by the run before.
    package func begin() {
        if pending == nil { DaemonActor.task { [self] in await count() } }
        if pending != 0 || hasReplays || debt != nil { start() }
    }

    /// Tells what was committed, and where the log ends now. Records gather for a moment, so that a busy log costs few
    /// passes.
    package func notice(_ arrivals: Arrivals, newest sequence: UInt64) {
        guard isOn || !lane.skipsWhileOff else {
            newest = sequence
            return
        }
        let wanted = arrivals.count(lane.filter)
        let isUpToDate = pending == 0 && !isRunning && progress.cursor == newest
        newest = sequence
        if wanted == 0 {
            // Nothing of it is ours: it is passed without a look, and without telling the store each time.
            if isUpToDate { progress.advance(over: EmptyCollection(), to: sequence) }
            return
        }
        arrived += wanted
        pending? += wanted
        // What is armed stays so: a log that never stands still must not put the pass off for ever.
        guard holds == 0, !isArmed, state == .idle || isWaitingForGate else { return }
        if state == .idle { state = .waiting }
        gather()
    }

    /// The gate denies passage: what comes in may have to make room.
    private var isWaitingForGate: Bool {
        state == .waiting && gate.breaker.state != .closed && room != nil
    }

    /// Hands over at once what there is.
    package func flush() {
        guard !isRunning else { return }
        disarm()
        start()
    }

    // MARK: Being held

    /// Turns delivery on or off, between two passes. What was asked for last holds.
    package func turn(on wanted: Bool) async {
        isWantedOn = wanted
        guard wanted != isOn else { return }
        await hold()
        await count()
        // Others may have turned it meanwhile, or want something else by now.
        if isOn != isWantedOn { await turn() }
        letGo()
    }

    private func turn() async {
        isOn.toggle()
        if lane.skipsWhileOff {
            var next = progress
            if isOn { next.goOn(at: newest) } else { next.pause(at: newest) }
            // Should the store not take it, it is taken with the next account.
            if !(await store(DeliveryCommit(lane: lane.name, progress: next, breaker: nil))) { progress = next }
        }
    }

    /// Stores how far the lane has come, between two passes; false when the store refuses.
    package func keep() async -> Bool {
        await hold()
        defer { letGo() }
        // Whoever has taken its place by then keeps an account of its own.
        return isStopped ? true : await store(account(progress))
    }

    /// Begins no pass any more; `isResting` tells when the one under way is over.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        holds += 1
        rest(nil)
        disarm()
        tellWatchers(Courier.stopped)
    }

    package var isResting: Bool { !isRunning }

    /// Somebody waits for the end of the pass under way.
    var isAwaited: Bool { holds > 0 }

    /// Waits until the pass under way is over.
    package func rested() async {
        while isRunning {
            // The body may run a turn later, and the pass be over by then.
            await withCheckedContinuation { if isRunning { waiting.append($0) } else { $0.resume() } }
        }
    }

    /// Lets no pass begin, and returns when none is under way.
    func hold() async {
        holds += 1
        disarm()
        await rested()
        state = resting
    }

    func letGo() {
        holds -= 1
        rest(nil)
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

    /// After a pass: on with the next in so many microseconds, or when the log or the gate say so.
    private func rest(_ delay: UInt64?) {
        guard !isRunning else { return }
        disarm()
        state = resting
        guard isOn, holds == 0 else { return }
        if delay == 0 {
            // Not by the timer, which shares its wake-ups with others and so comes late.
            start()
        } else if let delay {
            state = .waiting
            arm(afterMicroseconds: delay)
        } else if pending != 0 || hasReplays || debt != nil {
            state = .waiting
            if gate.breaker.state == .closed {
                gather()
            } else {
                // The wait may have ended in the middle of the pass, when nobody here could hear it.
                gate.arm()
            }
        } else if progress.cursor < newest, gate.breaker.state == .closed {
            // Nothing waits, as far as is known: a pass makes sure before what there is counts as done with.
            state = .waiting
            gather()
        }
    }

    private var resting: State { isOn ? .idle : .off }

    private func gather() { arm(afterMicroseconds: destination.batch.gatherMilliseconds * 1_000) }

    private func arm(afterMicroseconds delay: UInt64) {
        isArmed = true
        timer.arm(afterMicroseconds: delay)
    }

    private func disarm() {
        isArmed = false
        timer.disarm()
    }

    private func timeIsUp() {
        isArmed = false
        start()
    }

    /// Counts what waits, once after the start. Nothing moves meanwhile.
    package func count() async {
        guard pending == nil else { return }
        let task = counting ?? DaemonActor.task { [self] in await countPending() }
        counting = task
        await task.value
    }

    private func countPending() async {
        let (end, before) = (newest, arrived)
        do throws(StoreError) {
            pending = try await reader.count(progress, upTo: end, filter) + arrived - before
        } catch {
            _ = failed("\(error)")
        }
        counting = nil
    }

    // MARK: Who waits for one record

    /// Tells what becomes of a record, once: delivered, dropped, or not delivered at the first try.
    package func watch(_ sequence: UInt64, _ tell: @escaping (Result<Void, DeliveryFailure>) -> Void) {
        if isStopped { return tell(.failure(Courier.stopped)) }
        watchers[sequence] = tell
    }

    package func unwatch(_ sequence: UInt64) {
        watchers[sequence] = nil
    }

    func tell(_ sequence: UInt64, _ result: Result<Void, DeliveryFailure>) {
        watchers.removeValue(forKey: sequence)?(result)
    }

    /// What was to be delivered up to the cursor and was not is no more.
    func tellWatchersOfRemoval() {
        for sequence in watchers.keys where sequence <= progress.cursor { tell(sequence, Courier.gone) }
    }

    /// Nothing passes for now, so nobody is told anything better soon.
    func tellWatchersOfGate() {
        if let failure = gate.breaker.lastFailure { tellWatchers(failure) }
    }

    private func tellWatchers(_ failure: DeliveryFailure) {
        let told = watchers
        watchers = [:]
        for (_, tell) in told { tell(.failure(failure)) }
    }

    private static let stopped = DeliveryFailure(.local, "harkd is ending, or sets the destination up anew")
    static let gone = Result<Void, DeliveryFailure>.failure(
        DeliveryFailure(.dropped, "it was removed before it was delivered"))

    // MARK: Accounts

    /// What the lane carries now.
    var filter: DeliveryFilter {
        var filter = lane.filter
        filter.skips = progress.leftOut
        filter.removed = progress.removed
        return filter
    }

    func account(_ next: LaneProgress, _ outcomes: Outcomes = Outcomes()) -> DeliveryCommit {
        var account = DeliveryCommit(lane: lane.name, progress: next, breaker: gate.isDirty ? gate.breaker : nil)
        account.deadLetters = outcomes.deadLetters
        account.redeemed = outcomes.accepted + outcomes.gone
        return account
    }

    func store(_ account: DeliveryCommit) async -> Bool {
        guard await commit(account) else { return false }
        progress = account.progress
        if let breaker = account.breaker { gate.stored(breaker) }
        return true
    }

    static let refusedByStore = "the store did not take the account"

    static let faultMicroseconds: UInt64 = 5_000_000

    func failed(_ reason: String) -> UInt64 {
        if fault != reason {
            Log.warning("destination \(destination.name): \(reason)", ["destination": destination.name])
        }
        fault = reason
        return Courier.faultMicroseconds
    }
}
