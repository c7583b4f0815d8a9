internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// The connection of a program to the daemon: requests from any thread, one thread that sends them and takes the
/// answers, and a buffer for what is recorded while the daemon is away.
///
/// The thread begins with the first request. It connects when there is something to send; without a daemon, whoever
/// waits for an answer is told at once, and what nobody waits for is kept, up to a limit, and sent later.
final class Link: Sendable {
    typealias Answer = Result<JSONText, HarkError>

    struct Request: Sendable {
        let method: MethodShape
        let params: [UInt8]
        /// Kept while the daemon is away.
        let isPatient: Bool
        /// Recorded once however often it is sent, by a daemon that knows producers.
        var isRepeatable = false
        /// The number it was sent under, which it keeps.
        var number: Int64?
        /// When whoever waits for it is told that the daemon is away, though it is kept; by `LinkThread.now`.
        var deadline: Int?
        let answer: @Sendable (Answer) -> Void

        /// Whether it is told at once that there is no daemon.
        var isUrgent: Bool { !isPatient && deadline == nil }
    }

    private struct State {
        var queue: [Request] = []
        var queuedBytes = 0
        var isRunning = false
        var isClosed = false
        /// Requests that were sent and not answered.
        var inFlight = 0
        var onSettled: [@Sendable () -> Void] = []
        var droppedSinceTold = 0
    }

    let places: [SocketAddress]
    private let maxBytes: Int
    private let state = Mutex(State())
    /// A byte written to the one end wakes the thread that polls the other.
    private let wake: CInt
    private let sleeper: CInt
    private let tell: @Sendable (HarkNotice) -> Void

    /// - Parameters:
    ///   - maxBytes: What may wait for the daemon.
    init(_ places: [SocketAddress], maxBytes: Int, tell: @escaping @Sendable (HarkNotice) -> Void) {
        self.places = places
        self.maxBytes = maxBytes
        self.tell = tell
        var ends: [CInt] = [-1, -1]
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let status = socketpair(AF_UNIX, CInt(type), 0, &ends)
        precondition(status == 0, "no descriptors are left for the connection to harkd")
        (wake, sleeper) = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(wake)
        Glibc.close(sleeper)
    }

    // MARK: For everybody

    /// Sends a request and waits for its answer.
    /// - Parameter isRepeatable: whether it takes a producer.
    func call(
        _ method: MethodShape, _ params: RequestParams = RequestParams(), isRepeatable: Bool = false
    ) async throws(HarkError) -> JSONText {
        let answer: Answer = await withCheckedContinuation { continuation in
            add(
                Request(method: method, params: params.json, isPatient: false, isRepeatable: isRepeatable) {
                    continuation.resume(returning: $0)
                })
        }
        return try answer.get()
    }

    /// Sends a request that nobody waits for; a refusal is told as a notice.
    func post(
        _ method: MethodShape, _ params: RequestParams, isRepeatable: Bool = false,
        onAnswer: (@Sendable (Answer) -> Void)? = nil
    ) {
        add(
            Request(method: method, params: params.json, isPatient: true, isRepeatable: isRepeatable) { [tell] answer in
                if case .failure(let error) = answer, error.code != .disconnected { tell(.refused(error)) }
                onAnswer?(answer)
            })
    }

    /// Waits until nothing is left to send and everything sent was answered.
    func settle() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isSettled = state.withLock { state in
                if state.queue.isEmpty, state.inFlight == 0 { return true }
                state.onSettled.append { continuation.resume() }
                return false
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Requests that wait to be sent or answered.
    var pending: Int { state.withLock { $0.queue.count + $0.inFlight } }

    private func add(_ request: Request) {
        let (isTaken, starts, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
            guard state.queuedBytes + request.params.count <= maxBytes else {
                guard request.isPatient else { return (false, false, false) }
                state.droppedSinceTold += 1
                defer { state.isRunning = true }
                // The thread is to tell of it, once for many; a daemon that takes nothing does not wake it.
                return (false, !state.isRunning, state.droppedSinceTold == 1)
            }
            state.queue.append(request)
            state.queuedBytes += request.params.count
            defer { state.isRunning = true }
            return (true, !state.isRunning, true)
        }
        guard isTaken || request.isPatient else {
            return request.answer(.failure(HarkError(.bufferFull, "too much waits for harkd; ask again later")))
        }
        if starts { LinkThread.start(self) } else if wakes { awake() }
    }

    private func awake() {
        var byte: UInt8 = 1
        // A full buffer means that it will wake up anyhow.
        _ = write(wake, &byte, 1)
    }

    // MARK: For the thread

    var wakeDescriptor: CInt { sleeper }

    /// What there is to send; the requests count as in flight from here on.
    func take() -> [Request] {
        state.withLock { state in
            defer {
                state.queue = []
                state.queuedBytes = 0
            }
            state.inFlight += state.queue.count
            return state.queue
        }
    }

    var hasDropped: Bool { state.withLock { $0.droppedSinceTold > 0 } }
    var hasRequests: Bool { state.withLock { !$0.queue.isEmpty } }
    var hasUrgent: Bool { state.withLock { state in state.queue.contains(where: \.isUrgent) } }

    /// Takes back what was sent and not answered, to send it again before everything else.
    func giveBack(_ requests: [Request]) {
        state.withLock { state in
            state.queue.insert(contentsOf: requests, at: 0)
            state.queuedBytes += requests.reduce(0) { $0 + $1.params.count }
            state.inFlight -= requests.count
        }
    }

    /// The first time at which somebody is told that the daemon is still away.
    var nextDeadline: Int? { state.withLock { $0.queue.compactMap(\.deadline).min() } }

    /// Takes out of the queue what does not wait for a daemon that is away, and tells it so.
    func giveUpUrgent(_ error: HarkError) { giveUp(error, where: \.isUrgent) }

    /// Takes out of the queue what has waited for too long, and tells it so; at the end, all that somebody waits for.
    func giveUpOverdue(by now: Int = .max, _ error: HarkError) {
        giveUp(error) { $0.deadline.map { $0 <= now } ?? false }
    }

    private func giveUp(_ error: HarkError, where isMeant: (Request) -> Bool) {
        let given = state.withLock { state in
            let given = state.queue.filter(isMeant)
            guard !given.isEmpty else { return given }
            state.queue.removeAll(where: isMeant)
            state.queuedBytes = state.queue.reduce(0) { $0 + $1.params.count }
            state.inFlight += given.count
            return given
        }
        for request in given { request.answer(.failure(error)) }
        // Somebody may wait until nothing is left.
        if !given.isEmpty { answered(given.count) }
    }

    func answered(_ count: Int) {
        settleIfDone { $0.inFlight -= count }
    }

    /// Tells, once for many, what had to be given up.
    func tellDropped() {
        let count = state.withLock { state in
            defer { state.droppedSinceTold = 0 }
            return state.droppedSinceTold
        }
        if count > 0 { tell(.dropped(count)) }
    }

    func notify(_ notice: HarkNotice) { tell(notice) }

    private func settleIfDone(_ change: (inout State) -> Void) {
        let settled = state.withLock { state -> [@Sendable () -> Void] in
            change(&state)
            guard state.queue.isEmpty, state.inFlight == 0 else { return [] }
            defer { state.onSettled = [] }
            return state.onSettled
        }
        for tell in settled { tell() }
    }

    /// The program has let go of it: the thread ends once everything is answered.
    func close() {
        state.withLock { $0.isClosed = true }
        awake()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
}
