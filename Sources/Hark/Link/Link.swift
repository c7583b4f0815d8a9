internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// A program's connection to the daemon: takes requests from any thread, sends them and receives replies on one thread,
/// and buffers records while the daemon is away.
///
/// The thread starts with the first request, and connects on demand. Without a daemon, callers that wait for a reply
/// fail at once; other requests are kept up to a limit and sent later.
final class Link: Sendable {
    typealias Answer = Result<JSONText, HarkError>

    struct Request: Sendable {
        let method: MethodShape
        let params: [UInt8]
        /// Whether it is kept while the daemon is away.
        let isPatient: Bool
        /// Whether a daemon that knows producers records it once even if it is sent again.
        var isRepeatable = false
        /// The number under which it was sent, and which it keeps.
        var number: Int64?
        /// When its caller is told that the daemon is away, although it is kept; by `LinkThread.now`.
        var deadline: Int?
        let answer: @Sendable (Answer) -> Void

        /// Whether it fails at once if there is no daemon.
        var isUrgent: Bool { !isPatient && deadline == nil }
    }

    private struct State {
        var queue: [Request] = []
        var queuedBytes = 0
        var isRunning = false
        var isClosed = false
        /// The number of requests sent but not answered.
        var inFlight = 0
        var onSettled: [@Sendable () -> Void] = []
        var droppedSinceTold = 0
    }

    let places: [SocketAddress]
    private let maxBytes: Int
    private let state = Mutex(State())
    /// A byte written to one end wakes the thread, which polls the other.
    private let wake: CInt
    private let sleeper: CInt
    private let tell: @Sendable (HarkNotice) -> Void

    /// - Parameters:
    ///   - maxBytes: The maximum size of the requests that wait for the daemon.
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

    // MARK: For callers

    /// Sends a request and waits for its reply.
    /// - Parameter isRepeatable: Whether the method takes a producer.
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

    /// Sends a request without waiting; a refusal becomes a notice.
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

    /// Waits until every request is sent and answered.
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

    /// The number of requests not yet sent or answered.
    var pending: Int { state.withLock { $0.queue.count + $0.inFlight } }

    private func add(_ request: Request) {
        let (isTaken, starts, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
            guard state.queuedBytes + request.params.count <= maxBytes else {
                guard request.isPatient else { return (false, false, false) }
                state.droppedSinceTold += 1
                defer { state.isRunning = true }
                // The thread reports dropped requests, many at once. If the daemon takes none, nothing else wakes the
                // thread.
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
        // If the buffer is full, the thread will wake anyway.
        _ = write(wake, &byte, 1)
    }

    // MARK: For the thread

    var wakeDescriptor: CInt { sleeper }

    /// Returns the requests to send, which count as in flight from here on.
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

    /// Puts unanswered requests back at the front, to be sent again.
    func giveBack(_ requests: [Request]) {
        state.withLock { state in
            state.queue.insert(contentsOf: requests, at: 0)
            state.queuedBytes += requests.reduce(0) { $0 + $1.params.count }
            state.inFlight -= requests.count
        }
    }

    /// The earliest deadline of a waiting caller.
    var nextDeadline: Int? { state.withLock { $0.queue.compactMap(\.deadline).min() } }

    /// Removes the requests that do not wait for an absent daemon, and fails them.
    func giveUpUrgent(_ error: HarkError) { giveUp(error, where: \.isUrgent) }

    /// Removes the requests whose deadline has passed, and fails them; without a time, all those with a waiting caller.
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
        // A caller may wait until nothing is left.
        if !given.isEmpty { answered(given.count) }
    }

    func answered(_ count: Int) {
        settleIfDone { $0.inFlight -= count }
    }

    /// Reports dropped requests, many at once.
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

    /// Called when the program releases the link: the thread ends once everything is answered.
    func close() {
        state.withLock { $0.isClosed = true }
        awake()
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
}
