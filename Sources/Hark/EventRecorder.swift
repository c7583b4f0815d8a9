internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// Records events and reads them back, through the daemon of this machine.
///
/// `EventRecorder.shared` finds the daemon by itself: `HARK_SOCKET` if it is set, else the user's daemon, else the
/// machine's. Everything is safe to call from any task or thread.
///
/// What is recorded without waiting (`record`, `log`) is kept in memory while the daemon is away, up to
/// `Options.bufferBytes`, and sent when it is back. Beyond that it is dropped, and `notices` says so. Call `flush` before
/// a short program ends.
public final class EventRecorder: Sendable {
    /// Which daemon, and how it is used.
    public struct Options: Sendable {
        /// The daemon's socket; nil finds it.
        public var socket: String?
        /// Which application's sessions are meant.
        public var app = "default"
        /// What may wait in memory for the daemon, in bytes of requests.
        public var bufferBytes = 4 << 20

        /// The defaults.
        public init() {}
    }

    /// The recorder of most programs, with default options; made at its first use.
    public static let shared = EventRecorder()

    let app: String
    let link: Link
    private let notifier: Notifier

    /// Makes a recorder with a connection of its own, which is opened when there is something to say. What waits
    /// when it is released is still sent if the daemon is there, and given up if not: `flush()` before.
    public init(_ options: Options = Options()) {
        app = options.app
        let notifier = Notifier()
        self.notifier = notifier
        let places = options.socket.map { [SocketAddress(path: $0)] } ?? SocketAddress.candidates()
        link = Link(places, maxBytes: options.bufferBytes) { notifier.tell($0) }
    }

    deinit { link.close() }

    // MARK: Sessions

    /// Starts a session for a user; the one before ends.
    /// - Parameters:
    ///   - userID: nil for nobody in particular; at most 1,024 bytes.
    ///   - metadata: primitive values that describe the session, such as the plan or the version of the app.
    @discardableResult
    public func startSession(
        userID: String? = nil, metadata: [String: Value] = [:]
    ) async throws(HarkError) -> EventSession {
        let result = try await link.call(
            .sessionStart, params.with(.sessionUser, userID).with(.sessionMetadata, metadata))
        return try session(in: result)
    }

    /// Ends the current session, if there is one.
    @discardableResult
    public func endSession() async throws(HarkError) -> EventSession? {
        try await link.call(.sessionEnd, params).member("session").flatMap { EventSession($0) }
    }

    /// The session that events go into now; nil if the next event starts one.
    public func currentSession() async throws(HarkError) -> EventSession? {
        try await link.call(.sessionCurrent, params).member("session").flatMap { EventSession($0) }
    }

    // MARK: Recording

    /// Records an event and goes on at once. Order is kept.
    ///
    /// Without a session, an anonymous one starts by itself. What the daemon refuses shows in `notices`.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: strings, integers, doubles and bools.
    ///   - timestamp: when it happened, in ISO-8601 with its zone, such as `2026-11-21T11:08:00.123Z`; nil: now, also when
    ///     the daemon is away and gets it later.
    public func record(_ name: String, properties: [String: Value] = [:], timestamp: String? = nil) {
        link.post(.eventRecord, eventParams(name, properties, timestamp ?? Self.now), isRepeatable: true)
    }

    /// Records an event and returns once it is on disk; the parameters are those of `record`.
    ///
    /// Should the connection break meanwhile, it is sent again, and recorded once. A daemon that stays away for 30 seconds is
    /// told as `disconnected`: only then it may have been recorded or not.
    @discardableResult
    public func recordAndWait(
        _ name: String, properties: [String: Value] = [:], timestamp: String? = nil
    ) async throws(HarkError) -> RecordedEvent {
        RecordedEvent(
            try await link.call(.eventRecord, eventParams(name, properties, timestamp), isRepeatable: true))
    }

    private func eventParams(_ name: String, _ properties: [String: Value], _ timestamp: String?) -> RequestParams {
        params.with(.newEvent, name).with(.properties, properties).with(.timestamp, timestamp)
    }

    /// As events are dated.
    static var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000).description
    }

    /// Waits until everything recorded so far was answered by the daemon: it is on disk, or `notices` has told why not.
    ///
    /// While the daemon is away it waits for it to come back.
    public func flush() async {
        await link.settle()
    }

    /// What happens to the connection: away and back, dropped, refused. Each call gives a stream of its own, which begins
    /// now and keeps the last 100 notices until they are taken.
    public var notices: AsyncStream<HarkNotice> { notifier.stream() }

    var params: RequestParams { RequestParams().with(.app, app) }

    func session(in result: JSONText) throws(HarkError) -> EventSession {
        guard let session = result.member("session").flatMap({ EventSession($0) }) else {
            throw HarkError(.malformedReply, "harkd's answer holds no session")
        }
        return session
    }
}

/// Hands notices to everybody who listens.
final class Notifier: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<HarkNotice>.Continuation] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    func tell(_ notice: HarkNotice) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(notice) }
    }

    func stream() -> AsyncStream<HarkNotice> {
        AsyncStream(bufferingPolicy: .bufferingNewest(100)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.listeners[state.next] = continuation
                return state.next
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
        }
    }
}
