internal import HarkCore

/// The state of a lane, and what to do next on every event. Pure: it reads, sends and stores nothing and has no clock.
/// Each event returns the actions it leads to, and the result of their work is the next event.
///
/// Only one thing is in progress at a time: a pass from the log to the destination, or a request between two passes. So
/// read data stays valid, and records read before a removal can never come back.
struct CourierState {
    /// The constants of a courier.
    struct Terms {
        let destination: String
        let lane: Lane
        let batch: BatchLimits
        /// The maximum size of cached log records, in bytes.
        var mostFresh = FreshRecords.most
    }

    /// An action to perform. Only work is asynchronous.
    enum Action {
        case work(Work)
        /// Call `timeIsUp` after this many microseconds; replaces an earlier timer.
        case arm(UInt64)
        case answer(Ticket, Answer)
        /// Report these results to the watchers of the records.
        case tell([ParcelResult])
        /// Report that undelivered records up to this number were removed.
        case tellOfRemoval(upTo: UInt64)
        case tellAll(DeliveryFailure)
        case warn(String)
    }

    /// Asynchronous work, which ends with an event of its own.
    indirect enum Work {
        case count(LaneProgress, upTo: UInt64, DeliveryFilter)
        /// - Parameter fresh: Cached records that need not be read.
        case readPage(
            after: LaneProgress, upTo: UInt64, DeliveryFilter, limit: Int, maxBytes: Int, fresh: FreshRecords?)
        case readLetters(limit: Int)
        /// - Parameter next: The next parcel of the chain, if this one succeeds.
        case handOver(ArraySlice<Record>, next: ArraySlice<Record>, chain: Int)
        case store(DeliveryCommit)
        case readRemoved(SessionIdentity, DeliveryFilter)
        case forget(SessionIdentity)
    }

    /// A request whose caller waits.
    enum Request {
        /// Turn delivery on or off; the last request applies.
        case turn(on: Bool)
        /// Store the lane's progress.
        case keep
        /// Remove a session from the destination.
        case forget(SessionIdentity)
        /// Deliver everything after this number again, because the destination has lost records that it had accepted.
        case rewind(to: UInt64)
        /// Count the pending records, unless they have been counted since the start.
        case count
        /// Wait until nothing is in progress.
        case rest
    }
    typealias Ticket = Int
    typealias Answer = Courier.Answer

    /// The work in progress.
    indirect enum Phase {
        case resting(Wait)
        case storing(Account, then: Continuation)
        case counting(arrived: Int, then: Task)
        // A pass.
        case readingLetters
        case readingPage(DeliveryRound.PageMark)
        case readingExcess(Int)
        case carrying(DeliveryRound)
        // A request.
        case readingRemoved(SessionIdentity)
        case forgetting(hadReceived: Bool)
    }

    /// A task that requires that all outcomes are stored and pending records are counted.
    enum Task {
        case nothing, pass
        case forget(SessionIdentity)
    }

    /// The next step after a commit.
    enum Continuation {
        /// A task, before which a refused commit is repeated.
        case task(Task)
        case end(of: DeliveryRound)
        case room
        case request
        case forget(SessionIdentity, hadReceived: Bool)
    }

    /// The event that starts the next pass.
    enum Wait {
        /// New records.
        case records
        case timer
        case gate
    }

    let terms: Terms
    /// The progress as the store has it.
    var progress: LaneProgress
    /// Records waiting to be delivered; nil until they are counted after the start.
    var pending: Int?
    var fault: String?
    var isOn: Bool
    var isWantedOn: Bool
    var isStopped = false
    var hasReplays = false
    /// The last record of the log.
    var newest: UInt64
    /// The records of this lane since the start.
    var arrived = 0
    /// The newest records; nil while the lane is far behind, or nothing can be delivered.
    var fresh: FreshRecords?
    /// Outcomes that the store has refused. Nothing more is sent before it accepts them.
    var debt: Account?
    var refusals = Refusals()
    /// Whether the current pass is the gate's probe, without a result yet.
    var hasProbe = false
    var phase = Phase.resting(.records)
    /// The requests for the time after the pass; the first is served next.
    var requests: [(request: Request, ticket: Ticket)] = []
    /// The callers that wait for the count, and for the end of all work.
    var awaitingCount: [Ticket] = []
    var awaitingRest: [Ticket] = []

    init(_ terms: Terms, _ progress: LaneProgress, isOn: Bool, newest: UInt64) {
        self.terms = terms
        self.progress = progress
        self.isOn = isOn
        isWantedOn = isOn
        self.newest = newest
        if progress.cursor > newest { self.progress.comeBack(to: newest) }
        if terms.lane.skipsWhileOff { self.progress.turn(on: isOn, at: newest) }
        if progress.cursor >= newest { pending = 0 }
    }

    // MARK: State

    var isResting: Bool { if case .resting = phase { true } else { false } }
    /// Whether a caller waits for the end of the current pass.
    var isAwaited: Bool { isStopped || !requests.isEmpty }

    var state: Courier.State {
        switch phase {
        case .resting(.timer) where isOn, .resting(.gate) where isOn: .waiting
        case .storing(_, .task(.pass)), .storing(_, .end), .storing(_, .room), .counting(_, .pass), .readingLetters,
            .readingPage, .readingExcess, .carrying:
            .delivering
        default: isOn ? .idle : .off
        }
    }

    /// The records that the lane delivers now.
    var filter: DeliveryFilter {
        var filter = terms.lane.filter
        filter.skips = progress.leftOut
        filter.removed = progress.removed
        return filter
    }

    // MARK: Events

    /// Starts with the work that the previous run has left.
    mutating func begin(_ gate: inout GateState) -> [Action] {
        guard isResting else { return [] }
        return isOn && isInNeed ? flush(&gate) : prepare(.nothing, &gate)
    }

    /// Notes committed records. They gather for a moment, so that a busy log needs few passes.
    mutating func notice(_ arrivals: Arrivals, newest sequence: UInt64, mayPass: Bool) -> [Action] {
        guard isOn || !terms.lane.skipsWhileOff else {
            newest = sequence
            forgetFresh()
            return []
        }
        let wanted = arrivals.count(terms.lane.filter)
        let isUpToDate = pending == 0 && isResting && progress.cursor == newest
        keepFresh(arrivals, wanted: wanted, upTo: sequence, mayPass)
        newest = sequence
        if wanted == 0 {
            // The lane wants none of them: the cursor moves without reading or storing.
            if isUpToDate { progress.advance(over: EmptyCollection(), to: sequence) }
            return []
        }
        arrived += wanted
        pending? += wanted
        guard isOn, !isStopped, case .resting(let wait) = phase else { return [] }
        switch wait {
        case .records: return gather()
        // New records may exceed the room.
        case .gate: return !mayPass && room != nil ? gather() : []
        // The timer is not armed again, or a busy log would delay the pass for ever.
        case .timer: return []
        }
    }

    /// Delivers pending records now.
    mutating func flush(_ gate: inout GateState) -> [Action] {
        guard isOn, !isStopped, isResting else { return [] }
        return prepare(.pass, &gate)
    }

    mutating func timeIsUp(_ gate: inout GateState) -> [Action] {
        guard case .resting(.timer) = phase else { return [] }
        return prepare(.pass, &gate)
    }

    /// Starts no more passes.
    mutating func stop() -> [Action] {
        guard !isStopped else { return [] }
        isStopped = true
        forgetFresh()
        if isResting { phase = .resting(.records) }
        return [.tellAll(CourierState.stopped)]
    }

    // MARK: Work in progress

    /// Fulfils the requirements of a task, and then starts it.
    mutating func prepare(_ task: Task, _ gate: inout GateState) -> [Action] {
        if let debt {
            if case .nothing = task {} else { return store(debt, then: .task(task), gate) }
        }
        guard pending != nil else {
            phase = .counting(arrived: arrived, then: task)
            return [.work(.count(progress, upTo: newest, filter))]
        }
        switch task {
        case .nothing: return rest(.whenCalled, &gate)
        case .pass: return pass(&gate)
        case .forget(let session):
            // After the removal is swept, nothing would show that cached records of the session must not be sent.
            forgetFresh()
            phase = .readingRemoved(session)
            return [.work(.readRemoved(session, filter))]
        }
    }

    enum Next {
        case atOnce
        case after(microseconds: UInt64)
        /// On new records, or when the gate opens.
        case whenCalled
    }

    /// Rests: serves requests first, and then waits for the next pass.
    mutating func rest(_ next: Next, _ gate: inout GateState) -> [Action] {
        if hasProbe { gate.abandonProbe() }
        hasProbe = false
        phase = .resting(.records)
        var actions = serve(&gate)
        if isResting, pending == nil, !awaitingCount.isEmpty { return actions + prepare(.nothing, &gate) }
        if isResting, isOn, !isStopped { actions += wait(next, &gate) }
        if isResting, !awaitingRest.isEmpty {
            actions += awaitingRest.map { .answer($0, Answer()) }
            awaitingRest = []
        }
        return actions
    }

    private mutating func wait(_ next: Next, _ gate: inout GateState) -> [Action] {
        switch next {
        case .atOnce: return prepare(.pass, &gate)
        case .after(let delay): return arm(delay)
        case .whenCalled where gate.breaker.state == .closed:
            // Records beyond the cursor although none are pending, by the count: a pass checks before they are counted
            // as done.
            return isInNeed || progress.cursor < newest ? gather() : []
        case .whenCalled:
            guard isInNeed else { return [] }
            phase = .resting(.gate)
            // The gate's wait may have ended during the pass, which ignored it.
            gate.arm()
            return []
        }
    }

    /// Whether there is something to do, as far as is known.
    private var isInNeed: Bool { pending != 0 || hasReplays || debt != nil }

    private mutating func gather() -> [Action] { arm(terms.batch.gatherMilliseconds * 1_000) }

    private mutating func arm(_ delay: UInt64) -> [Action] {
        phase = .resting(.timer)
        return [.arm(delay)]
    }
}
