internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// Records events and reads them back, through this machine's daemon.
///
/// `EventRecorder.shared` finds the daemon: `HARK_SOCKET` if it is set, else the user's daemon, else the machine's.
/// Every method may be called from any task or thread.
///
/// Records written without waiting (`record`, `log`) are kept in memory while the daemon is away, up to
/// `Options.bufferBytes`, and sent when it is back. Beyond that they are dropped and reported in `notices`. Call
/// `flush` before a short program ends.
public final class EventRecorder: Sendable {
    /// The choice of the daemon, and how it is used.
    public struct Options: Sendable {
        /// The path of the daemon's socket; nil to find it.
        public var socket: String?
        /// The application whose sessions are used.
        public var app = "default"
        /// The maximum size of the requests that wait in memory for the daemon, in bytes.
        public var bufferBytes = 4 << 20

        /// Creates the default options.
        public init() {}
    }

    /// The recorder for most programs, with default options; created on first use.
    public static let shared = EventRecorder()

    let app: String
    let link: Link
    private let notifier: Notifier

    /// Creates a recorder with its own connection, which is opened on demand. When the recorder is released, waiting
    /// records are still sent if the daemon is there, and dropped if not, so call `flush()` before.
    public init(_ options: Options = Options()) {
        app = options.app
        let notifier = Notifier()
        self.notifier = notifier
        let places = options.socket.map { [SocketAddress(path: $0)] } ?? SocketAddress.candidates()
        link = Link(places, maxBytes: options.bufferBytes) { notifier.tell($0) }
    }

    deinit { link.close() }

    // MARK: Sessions

    /// Starts a session for a user and ends the previous one.
    /// - Parameters:
    ///   - userID: The user, at most 1,024 bytes; nil for an anonymous session.
    ///   - metadata: Primitive values that describe the session, such as the plan or the version of the app.
    @discardableResult
    public func startSession(
        userID: String? = nil, metadata: [String: Value] = [:]
    ) async throws(HarkError) -> EventSession {
        var request = SessionStart()
        if let userID { request.user = .named(userID) }
        (request.app, request.metadata) = (app, AnyJSON(metadata))
        return EventSession(try await link.call(request).of.session)
    }

    /// Ends the current session, if there is one.
    @discardableResult
    public func endSession() async throws(HarkError) -> EventSession? {
        var request = SessionEnd()
        request.app = app
        return EventSession(try await link.call(request).session)
    }

    /// Returns the session that new events belong to; nil if the next event starts one.
    public func currentSession() async throws(HarkError) -> EventSession? {
        try await link.call(SessionCurrent(app: app)).session.map { EventSession($0) }
    }

    // MARK: Recording

    /// Records an event without waiting. The order of events is kept.
    ///
    /// Without a session, an anonymous one starts automatically. Refusals of the daemon are reported in `notices`.
    /// - Parameters:
    ///   - name: 1 to 256 bytes.
    ///   - properties: Strings, integers, doubles and bools.
    ///   - timestamp: When the event happened, in ISO-8601 with a zone, such as `2026-11-21T11:08:00.123Z`; nil for
    ///     now, even if the daemon is away and receives it later.
    public func record(_ name: String, properties: [String: Value] = [:], timestamp: String? = nil) {
        link.post(eventRequest(name, properties, timestamp ?? Self.now.description), isRepeatable: true)
    }

    /// Records an event and returns once it is on disk. The parameters are those of `record`.
    ///
    /// If the connection breaks meanwhile, the event is sent again, and recorded once. If the daemon stays away for 30
    /// seconds, this throws `disconnected`: only then the event may or may not be recorded.
    @discardableResult
    public func recordAndWait(
        _ name: String, properties: [String: Value] = [:], timestamp: String? = nil
    ) async throws(HarkError) -> RecordedEvent {
        RecordedEvent(try await link.call(eventRequest(name, properties, timestamp), isRepeatable: true))
    }

    private func eventRequest(
        _ name: String, _ properties: [String: Value], _ timestamp: String?
    ) -> EventRecord {
        var request = EventRecord(name, AnyJSON(properties), app: app)
        request.timestamp = timestamp
        return request
    }

    /// The current time as an event's timestamp.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// Waits until the daemon has answered everything recorded so far: it is on disk, or `notices` has reported why
    /// not.
    ///
    /// If the daemon is away, this waits for it to come back.
    public func flush() async {
        await link.settle()
    }

    /// Events of the connection: lost, restored, records dropped or refused. Each call returns a new stream, which
    /// starts now and buffers the last 100 notices.
    public var notices: AsyncStream<HarkNotice> { notifier.stream() }
}

/// Delivers notices to all listeners.
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
