/// The requests of a program to a daemon that comes and goes: which wait, which are on their way, which are sent again, and
/// which are given up. Pure: each event changes the state and adds to `actions`; times are parameters, in seconds of
/// `MonotonicClock`.
package struct LinkState: Sendable {
    /// Called with the reply.
    package typealias Ticket = @Sendable (Result<JSONText, ClientError>) -> Void
    /// Called when nothing is left.
    package typealias Waiter = @Sendable () -> Void

    package struct Request: Sendable {
        package let method: String
        package let params: [UInt8]
        /// Whether the request is kept while the daemon is away.
        let isPatient: Bool
        /// Whether a daemon that knows producers carries it out once even if it is sent again.
        let isRepeatable: Bool
        let ticket: Ticket
        /// The number under which it was sent, and which it keeps.
        package fileprivate(set) var number: Int64?
        /// The time at which its caller learns that the daemon is away, although the request is kept.
        fileprivate var deadline: Double?

        package init(
            _ method: String, _ params: [UInt8], isPatient: Bool, isRepeatable: Bool = false,
            _ ticket: @escaping Ticket
        ) {
            (self.method, self.params, self.ticket) = (method, params, ticket)
            (self.isPatient, self.isRepeatable) = (isPatient, isRepeatable)
        }

        /// Whether it fails at once if there is no daemon.
        fileprivate var isUrgent: Bool { !isPatient && deadline == nil }
    }

    package enum Notice: Sendable, Equatable {
        case connected, disconnected
        /// The number of requests that found no room.
        case dropped(Int)
        /// The number of requests that were on their way to a daemon that went away. They are not sent again.
        case uncertain(Int)
    }

    package enum Action: Sendable {
        case start, wake
        case answer(Ticket, Result<JSONText, ClientError>)
        case settled(Waiter)
        case tell(Notice)
    }

    /// The next step of the thread.
    package enum Step: Sendable {
        case connect
        /// Send these requests, each with its tag.
        case send([(tag: Int, Request)])
        /// Wait for the daemon or a call, until this time at most.
        case wait(until: Double?)
        case end
    }

    /// The connection; a daemon is greeted before it is sent anything else.
    private enum Phase { case away, connecting, greeting, ready }

    private let maxBytes: Int
    /// The actions to perform in order, outside of the lock.
    private var actions: [Action] = []
    private var phase = Phase.away
    private var reconnection = Reconnection()
    private var queue: [Request] = []
    private var queuedBytes = 0
    private var inFlight: [Int: Request] = [:]
    /// The number of answers in actions that may not be performed yet.
    private var untold = 0
    private var waiters: [Waiter] = []
    private var lastTag = 0
    private var lastNumber: Int64 = 0
    private var knowsProducers = false
    private var dropped = 0
    private var nextTelling = -Double.infinity
    private var isRunning = false
    private var isClosed = false

    /// The time that a waiting caller is given after the connection broke.
    private static let patience = 30.0
    /// The least time between two notices of drops.
    private static let tellingPause = 0.5
    /// Such a request was not sent, as when a daemon that ends takes one more connection.
    private static let unanswered = ClientError(.notRunning, "harkd ended the connection before it took a request")
    private static let uncertain = ClientError(
        .disconnected, "harkd went away before it answered; it may have been done or not")

    /// - Parameter maxBytes: The maximum size of the requests that wait.
    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    /// The number of requests not yet sent or answered.
    package var pending: Int { queue.count + inFlight.count }

    // MARK: Calls of the program

    /// Takes a request. Returns false if there is no room for a request whose caller waits.
    package mutating func add(_ request: Request) -> Bool {
        let fits = queuedBytes + request.params.count <= maxBytes
        if fits {
            queue.append(request)
            queuedBytes += request.params.count
        } else if request.isPatient {
            dropped += 1
        } else {
            return false
        }
        // The thread reports drops, many at once. If the daemon takes nothing, nothing else wakes it.
        if !isRunning { actions.append(.start) } else if fits || dropped == 1 { actions.append(.wake) }
        isRunning = true
        return true
    }

    /// Tells a waiter once every request is answered.
    package mutating func settle(_ waiter: @escaping Waiter) {
        waiters.append(waiter)
        tellWaiters()
    }

    /// Lets the thread end once everything is answered.
    package mutating func close() {
        isClosed = true
        actions.append(.wake)
    }

    // MARK: Events of the connection

    /// The daemon takes requests. It is greeted, and `greeted` follows.
    package mutating func connected() { phase = .greeting }

    /// The daemon was not reached.
    package mutating func failed(_ error: ClientError, at now: Double) {
        phase = .away
        if reconnection.failed(at: now) { actions.append(.tell(.disconnected)) }
        giveUp(error, where: \.isUrgent)
    }

    /// The daemon has answered the greeting, or refused it.
    package mutating func greeted(knowsProducers: Bool) {
        phase = .ready
        self.knowsProducers = knowsProducers
        reconnection.succeeded()
        actions.append(.tell(.connected))
    }

    package mutating func answered(_ tag: Int, _ result: Result<JSONText, ClientError>) {
        guard let request = inFlight.removeValue(forKey: tag) else { return }
        answer(request, result)
    }

    /// The connection broke. Requests with a number are sent again. Whether the others were done is unknown.
    package mutating func lost(at now: Double) {
        let hasAnswered = phase == .ready
        phase = .away
        let all = inFlight.sorted { $0.key < $1.key }.map(\.value)
        inFlight = [:]
        let gone = all.filter { $0.number == nil }
        let uncertain = gone.count { $0.isPatient }
        if uncertain > 0 { actions.append(.tell(.uncertain(uncertain))) }
        if reconnection.failed(at: now) { actions.append(.tell(.disconnected)) }
        // A caller does not wait for a daemon that takes connections and ends them.
        if !hasAnswered { giveUp(Self.unanswered, where: \.isUrgent) }
        for request in gone { answer(request, .failure(Self.uncertain)) }
        var kept = all.filter { $0.number != nil }
        for index in kept.indices where !kept[index].isPatient && kept[index].deadline == nil {
            kept[index].deadline = now + Self.patience
        }
        queue.insert(contentsOf: kept, at: 0)
        queuedBytes += kept.reduce(0) { $0 + $1.params.count }
    }

    /// Returns what to do next. All earlier actions have been performed.
    ///
    /// - Parameter hasRoom: Whether the connection takes more requests.
    package mutating func step(at now: Double, hasRoom: Bool) -> Step {
        untold = 0
        tellWaiters()
        if phase == .away {
            // A request with a waiting caller does not wait for the next attempt.
            if !queue.isEmpty, now >= reconnection.nextTry || queue.contains(where: \.isUrgent) {
                phase = .connecting
                return .connect
            }
            giveUp(Self.uncertain) { $0.deadline ?? .infinity <= now }
        } else if phase == .ready, hasRoom, !queue.isEmpty {
            return .send(take())
        }
        if dropped > 0, now >= nextTelling {
            actions.append(.tell(.dropped(dropped)))
            (dropped, nextTelling) = (0, now + Self.tellingPause)
        }
        if isClosed, inFlight.isEmpty, queue.isEmpty || phase == .away { return end() }
        // A caller that waits for the last abandoned request is notified in the next step.
        return .wait(until: untold > 0 ? now : wakeTime)
    }

    private var wakeTime: Double? {
        var times = dropped > 0 ? [nextTelling] : []
        if phase == .away, !queue.isEmpty { times += queue.compactMap(\.deadline) + [reconnection.nextTry] }
        return times.min()
    }

    private mutating func take() -> [(tag: Int, Request)] {
        let taken = queue.indices.map { index in
            if queue[index].isRepeatable, knowsProducers, queue[index].number == nil {
                lastNumber += 1
                queue[index].number = lastNumber
            }
            lastTag += 1
            inFlight[lastTag] = queue[index]
            return (lastTag, queue[index])
        }
        (queue, queuedBytes) = ([], 0)
        return taken
    }

    private mutating func end() -> Step {
        giveUp(ClientError(.disconnected, "the link was closed"), where: \.isUrgent)
        giveUp(Self.uncertain) { $0.deadline != nil }
        (phase, isRunning, untold) = (.away, false, 0)
        tellWaiters()
        return .end
    }

    private mutating func giveUp(_ error: ClientError, where isMeant: (Request) -> Bool) {
        let given = queue.filter(isMeant)
        guard !given.isEmpty else { return }
        queue.removeAll(where: isMeant)
        queuedBytes = queue.reduce(0) { $0 + $1.params.count }
        for request in given { answer(request, .failure(error)) }
    }

    private mutating func answer(_ request: Request, _ result: Result<JSONText, ClientError>) {
        actions.append(.answer(request.ticket, result))
        untold += 1
    }

    private mutating func tellWaiters() {
        guard pending == 0, untold == 0, !waiters.isEmpty else { return }
        actions += waiters.map { .settled($0) }
        waiters = []
    }
}
