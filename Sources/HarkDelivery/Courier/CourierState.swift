internal import HarkCore

/// How a lane stands, and what comes next whatever happens. Pure: it reads, sends and stores nothing and knows no clock;
/// each event returns the actions that it leads to, and what comes of the work among these is the next event.
///
/// One thing is under way at a time: a pass from the log to the destination, or an errand between two passes. So nothing
/// moves under what was read, and what was read before a removal can never come back.
struct CourierState {
    /// What holds for as long as the courier lives.
    struct Terms {
        let destination: String
        let lane: Lane
        let batch: BatchLimits
        /// What may be at hand of the log, in bytes.
        var mostFresh = FreshRecords.most
    }

    /// What to do. Only work takes time.
    enum Action {
        case work(Work)
        /// Say `timeIsUp` after so many microseconds, and not before if that was asked for earlier.
        case arm(UInt64)
        case answer(Ticket, Answer)
        /// Tell those who watch these records.
        case tell([ParcelResult])
        /// What was to be delivered up to here and was not is no more.
        case tellOfRemoval(upTo: UInt64)
        case tellAll(DeliveryFailure)
        case warn(String)
    }

    /// What takes time, and has an event of its own when it is done.
    indirect enum Work {
        case count(LaneProgress, upTo: UInt64, DeliveryFilter)
        /// - Parameter fresh: What of it need not be read.
        case readPage(
            after: LaneProgress, upTo: UInt64, DeliveryFilter, limit: Int, maxBytes: Int, fresh: FreshRecords?)
        case readLetters(limit: Int)
        /// - Parameter next: what the chain hands over after it, if all goes well.
        case handOver(ArraySlice<Record>, next: ArraySlice<Record>, chain: Int)
        case store(DeliveryCommit)
        case readRemoved(SessionIdentity, DeliveryFilter)
        case forget(SessionIdentity)
    }

    /// What somebody waits for.
    enum Request {
        /// Whether anything is delivered at all; what was asked for last holds.
        case turn(on: Bool)
        /// Store how far the lane has come.
        case keep
        /// Take a session that is being removed out of the destination.
        case forget(SessionIdentity)
        /// Carry again what lies behind this number: the destination has lost what it had accepted of it.
        case rewind(to: UInt64)
        /// Count what waits, if nobody has since the start.
        case count
        /// Wait until nothing is under way.
        case rest
    }
    typealias Ticket = Int
    typealias Answer = Courier.Answer

    /// What is under way.
    indirect enum Course {
        case resting(Wait)
        case storing(Account, then: Continuation)
        case counting(arrived: Int, then: Task)
        // A pass.
        case readingLetters
        case readingPage(DeliveryRound.PageMark)
        case readingExcess(Int)
        case carrying(DeliveryRound)
        // An errand.
        case readingRemoved(SessionIdentity)
        case forgetting(hadReceived: Bool)
    }

    /// What wants that nothing is owed, and all is counted.
    enum Task {
        case nothing, pass
        case forget(SessionIdentity)
    }

    /// What an account was stored for.
    enum Continuation {
        /// The store refused it before.
        case task(Task)
        case end(of: DeliveryRound)
        case room
        case errand
        case forget(SessionIdentity, hadReceived: Bool)
    }

    /// What begins the next pass.
    enum Wait {
        /// Records that come.
        case records
        case timer
        case gate
    }

    let terms: Terms
    /// As the store has it.
    var progress: LaneProgress
    /// Records waiting to be delivered; nil until they were counted after the start.
    var pending: Int?
    var fault: String?
    var isOn: Bool
    var isWantedOn: Bool
    var isStopped = false
    var hasReplays = false
    /// The last record the log holds.
    var newest: UInt64
    /// Records of this lane that came since the start.
    var arrived = 0
    /// What was committed last; nil while the lane is far behind it, or nothing passes.
    var fresh: FreshRecords?
    /// What became of records that were handed over, and the store would not take. Nothing more is sent before it does.
    var debt: Account?
    var refusals = Refusals()
    /// The pass under way is the gate's probe, and it is not known yet what becomes of that.
    var hasProbe = false
    var course = Course.resting(.records)
    /// Who waits for the end of the pass; the first of them is served.
    var errands: [(request: Request, ticket: Ticket)] = []
    /// Who waits for the count, and for nothing to be under way.
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

    // MARK: How it stands

    var isResting: Bool { if case .resting = course { true } else { false } }
    /// Somebody waits for the end of the pass under way.
    var isAwaited: Bool { isStopped || !errands.isEmpty }

    var state: Courier.State {
        switch course {
        case .resting(.timer) where isOn, .resting(.gate) where isOn: .waiting
        case .storing(_, .task(.pass)), .storing(_, .end), .storing(_, .room), .counting(_, .pass), .readingLetters,
            .readingPage, .readingExcess, .carrying:
            .delivering
        default: isOn ? .idle : .off
        }
    }

    /// What the lane carries now.
    var filter: DeliveryFilter {
        var filter = terms.lane.filter
        filter.skips = progress.leftOut
        filter.removed = progress.removed
        return filter
    }

    // MARK: What comes in

    /// Begins with what was left by the run before.
    mutating func begin(_ gate: inout GateState) -> [Action] {
        guard isResting else { return [] }
        return isOn && isInNeed ? flush(&gate) : prepare(.nothing, &gate)
    }

    /// Records were committed. They gather for a moment, so that a busy log costs few passes.
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
            // Nothing of it is ours: it is passed without a look, and without telling the store each time.
            if isUpToDate { progress.advance(over: EmptyCollection(), to: sequence) }
            return []
        }
        arrived += wanted
        pending? += wanted
        guard isOn, !isStopped, case .resting(let wait) = course else { return [] }
        switch wait {
        case .records: return gather()
        // What comes in may have to make room.
        case .gate: return !mayPass && room != nil ? gather() : []
        // What is armed stays so: a log that never stands still must not put the pass off for ever.
        case .timer: return []
        }
    }

    /// Hands over at once what there is.
    mutating func flush(_ gate: inout GateState) -> [Action] {
        guard isOn, !isStopped, isResting else { return [] }
        return prepare(.pass, &gate)
    }

    mutating func timeIsUp(_ gate: inout GateState) -> [Action] {
        guard case .resting(.timer) = course else { return [] }
        return prepare(.pass, &gate)
    }

    /// Begins no pass any more.
    mutating func stop() -> [Action] {
        guard !isStopped else { return [] }
        isStopped = true
        forgetFresh()
        if isResting { course = .resting(.records) }
        return [.tellAll(CourierState.stopped)]
    }

    // MARK: What is under way

    /// Does what comes first before a task, and then begins with it.
    mutating func prepare(_ task: Task, _ gate: inout GateState) -> [Action] {
        if let debt {
            if case .nothing = task {} else { return store(debt, then: .task(task), gate) }
        }
        guard pending != nil else {
            course = .counting(arrived: arrived, then: task)
            return [.work(.count(progress, upTo: newest, filter))]
        }
        switch task {
        case .nothing: return rest(.whenCalled, &gate)
        case .pass: return pass(&gate)
        case .forget(let session):
            // It may be swept away after this, and then nothing tells any more that it is not to be carried.
            forgetFresh()
            course = .readingRemoved(session)
            return [.work(.readRemoved(session, filter))]
        }
    }

    enum Next {
        case atOnce
        case after(microseconds: UInt64)
        /// When the log or the gate say so.
        case whenCalled
    }

    /// Nothing is under way: errands go first, then the next pass in its time.
    mutating func rest(_ next: Next, _ gate: inout GateState) -> [Action] {
        if hasProbe { gate.abandonProbe() }
        hasProbe = false
        course = .resting(.records)
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
            // That something lies beyond the cursor though nothing waits, as far as is known: a pass makes sure before it
            // counts as done with.
            return isInNeed || progress.cursor < newest ? gather() : []
        case .whenCalled:
            guard isInNeed else { return [] }
            course = .resting(.gate)
            // Its wait may have ended in the middle of the pass, when nobody here could hear it.
            gate.arm()
            return []
        }
    }

    /// There is something to be done, as far as is known.
    private var isInNeed: Bool { pending != 0 || hasReplays || debt != nil }

    private mutating func gather() -> [Action] { arm(terms.batch.gatherMilliseconds * 1_000) }

    private mutating func arm(_ delay: UInt64) -> [Action] {
        course = .resting(.timer)
        return [.arm(delay)]
    }
}
