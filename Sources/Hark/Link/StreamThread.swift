internal import Glibc
internal import HarkClient
internal import HarkWire
internal import Synchronization

/// A subscription with its own connection and thread, which reads only on demand.
///
/// A slow consumer costs no memory here: unread data waits in the socket, and the daemon disconnects a client that is
/// slow for too long. After the connection ends, it is reopened and resumes where it was.
final class StreamThread: Sendable {
    typealias Message = (method: String, params: JSONText)

    private struct State {
        var wants: CheckedContinuation<Message?, Never>?
        var isEnded = false
        var descriptor: CInt = -1
    }

    private let places: [SocketAddress]
    /// Returns the current request; called for each connection.
    private let request: @Sendable () -> any WireMethod
    /// Handles the reply that starts the stream.
    private let onReply: @Sendable (JSONText) -> Void
    private let deliversReplies: Bool
    /// Returns the request for the next page of a reply, if there is one.
    private let following: @Sendable (JSONText) -> (any WireMethod)?
    private let state = Mutex(State())
    private let demand = UnsafeSemaphore()

    /// The method name of messages that are replies.
    static let reply = ""

    /// - Parameter deliversReplies: Whether replies that start or resume the stream are delivered as messages.
    init(
        _ places: [SocketAddress], request: @escaping @Sendable () -> any WireMethod,
        onReply: @escaping @Sendable (JSONText) -> Void = { _ in }, deliversReplies: Bool = false,
        following: @escaping @Sendable (JSONText) -> (any WireMethod)? = { _ in nil }
    ) {
        self.places = places
        self.request = request
        self.onReply = onReply
        self.deliversReplies = deliversReplies
        self.following = following
    }

    /// A semaphore at a fixed address.
    private final class UnsafeSemaphore: Sendable {
        // Allocated once and only passed to sem_* functions, which are thread-safe.
        nonisolated(unsafe) private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

        init() { sem_init(semaphore, 0, 0) }

        deinit {
            sem_destroy(semaphore)
            semaphore.deallocate()
        }

        func signal() { sem_post(semaphore) }
        func wait() { while sem_wait(semaphore) != 0 && errno == EINTR {} }
    }

    func start() { OwnThread.start { [self] in run() } }

    /// Returns the next message; nil once the stream has ended. One caller at a time.
    func next() async -> Message? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isEnded = state.withLock { state in
                    if !state.isEnded { state.wants = continuation }
                    return state.isEnded
                }
                if isEnded { continuation.resume(returning: nil) } else { demand.signal() }
            }
        } onCancel: {
            end()
        }
    }

    /// Ends the stream; a waiting caller gets nil.
    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            // The thread may be reading. This interrupts it, and the thread still closes the descriptor.
            if state.descriptor >= 0 { shutdown(state.descriptor, CInt(SHUT_RDWR)) }
            defer { state.wants = nil }
            return state.wants
        }
        waiting?.resume(returning: nil)
        demand.signal()
    }

    private static func reply(
        to request: some WireMethod, _ connection: inout Connection
    ) throws(ClientError) -> JSONText {
        try connection.call(request).text
    }

    private var isEnded: Bool { state.withLock { $0.isEnded } }

    private func run() {
        var course = Reconnection()
        while !isEnded {
            do throws(ClientError) {
                var connection = try Connection(to: places)
                let descriptor = connection.descriptor
                state.withLock { $0.descriptor = descriptor }
                defer { state.withLock { $0.descriptor = -1 } }
                let reply = try Self.reply(to: request(), &connection)
                onReply(reply)
                course.succeeded()
                var page = deliversReplies ? reply : nil
                while let reply = page {
                    demand.wait()
                    // There is only one signal for the end.
                    guard !isEnded else { return }
                    deliver((StreamThread.reply, reply))
                    page = nil
                    if let next = following(reply) { page = try Self.reply(to: next, &connection) }
                }
                try serve(&connection)
            } catch {
                // The daemon is away, or disconnected this client: connect again and resume.
                course.failed(at: MonotonicClock.now)
            }
            guard !isEnded else { return }
            poll(nil, 0, course.pause(at: MonotonicClock.now))
        }
    }

    private func serve(_ connection: inout Connection) throws(ClientError) {
        while true {
            demand.wait()
            guard !isEnded else { return }
            do throws(ClientError) {
                guard let message = try connection.nextNotification(within: nil) else { continue }
                if message.method == NotificationShape.subscriptionClosed.name {
                    throw ClientError(.disconnected, "the daemon ended the subscription")
                }
                deliver(message)
            } catch {
                // The demand remains for the next connection.
                demand.signal()
                throw error
            }
        }
    }

    private func deliver(_ message: Message) {
        let waiting = state.withLock { state in
            defer { state.wants = nil }
            return state.wants
        }
        // The line's memory is reused by the next read.
        waiting?.resume(returning: (message.method, JSONText(ArraySlice(Array(message.params.bytes)))))
    }
}

/// Starts a stream's thread, and ends it when this object is released.
final class StreamLifetime: Sendable {
    let thread: StreamThread

    init(_ thread: StreamThread) {
        self.thread = thread
        thread.start()
    }

    deinit { thread.end() }
}
