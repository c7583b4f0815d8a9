internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// A program's connection to the daemon: takes requests from any thread, sends them and receives replies on one thread,
/// and buffers records while the daemon is away.
///
/// The thread starts with the first request, and connects on demand. Without a daemon, callers that wait for a reply
/// fail at once; other requests are kept up to a limit and sent later. `LinkState` decides, and the link performs its
/// actions.
final class Link: Sendable {
    typealias Answer = Result<JSONText, HarkError>

    let places: [SocketAddress]
    private let state: Mutex<LinkState>
    /// A byte written to one end wakes the thread, which polls the other.
    private let wake: CInt
    let sleeper: CInt
    let tell: @Sendable (HarkNotice) -> Void

    /// - Parameters:
    ///   - maxBytes: The maximum size of the requests that wait for the daemon.
    init(_ places: [SocketAddress], maxBytes: Int, tell: @escaping @Sendable (HarkNotice) -> Void) {
        self.places = places
        state = Mutex(LinkState(maxBytes: maxBytes))
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

    /// Sends a request and waits for its reply.
    /// - Parameter isRepeatable: Whether the method takes a producer.
    func call<Request: WireMethod>(
        _ request: Request, isRepeatable: Bool = false
    ) async throws(HarkError) -> Request.Result {
        Request.Result(try await call(Request.name, request.json, isRepeatable: isRepeatable))
    }

    private func call(
        _ method: String, _ params: [UInt8], isRepeatable: Bool
    ) async throws(HarkError) -> JSONText {
        let answer: Answer = await withCheckedContinuation { continuation in
            let request = LinkState.Request(method, params, isPatient: false, isRepeatable: isRepeatable) {
                continuation.resume(returning: $0.mapError { HarkError($0) })
            }
            guard update({ $0.add(request) }) else {
                let error = HarkError(.bufferFull, "too much waits for harkd; ask again later")
                return continuation.resume(returning: .failure(error))
            }
        }
        return try answer.get()
    }

    /// Sends a request without waiting; a refusal becomes a notice.
    func post<Request: WireMethod>(
        _ request: Request, isRepeatable: Bool = false, onAnswer: (@Sendable (Answer) -> Void)? = nil
    ) {
        let request = LinkState.Request(Request.name, request.json, isPatient: true, isRepeatable: isRepeatable) {
            [tell] result in
            let answer = result.mapError { HarkError($0) }
            if case .failure(let error) = answer, error.code != .disconnected { tell(.refused(error)) }
            onAnswer?(answer)
        }
        update { _ = $0.add(request) }
    }

    /// Waits until every request is sent and answered.
    func settle() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            update { $0.settle { continuation.resume() } }
        }
    }

    /// The number of requests not yet sent or answered.
    var pending: Int { state.withLock { $0.pending } }

    /// Called when the program releases the link: the thread ends once everything is answered.
    func close() { update { $0.close() } }

    /// Changes the state, and performs what follows.
    func update<Value: Sendable>(_ change: (inout LinkState) -> Value) -> Value {
        let (value, actions) = state.withLock { state in (change(&state), state.takeActions()) }
        for action in actions {
            switch action {
            case .start:
                OwnThread.start { [self] in
                    var thread = LinkThread(self)
                    thread.run()
                }
            case .wake:
                var byte: UInt8 = 1
                // If the buffer is full, the thread will wake anyway.
                _ = write(wake, &byte, 1)
            case .answer(let answer, let result): answer(result)
            case .settled(let resume): resume()
            case .tell(.connected): tell(.connected)
            case .tell(.disconnected): tell(.disconnected)
            case .tell(.dropped(let count)): tell(.dropped(count))
            case .tell(.uncertain(let count)): tell(.uncertain(count))
            }
        }
        return value
    }
}
