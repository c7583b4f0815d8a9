internal import HarkClient

/// Why something was not done.
public struct HarkError: Error, Sendable, Hashable {
    /// What kind of trouble it is. More may come: have a `default`.
    public enum Code: String, Sendable, Hashable {
        /// No daemon answers on the socket.
        case notRunning
        /// The connection ended before the answer; what was asked for may have been done or not.
        case disconnected
        /// So much waits for the daemon that no more is taken.
        case bufferFull
        /// The daemon refused; `reason` says why.
        case refused
        /// What answers is not the daemon.
        case malformedReply
        /// No destination takes log entries.
        case notConfigured
        /// The server of a confirmed log entry was not reached.
        case networkError
        /// The server refused; its answer is in `status`.
        case serverError
        /// The entry does not fit into a request.
        case encodingFailed
        /// The server wants less.
        case rateLimited
        /// The server's quota is used up.
        case quotaExceeded
    }

    /// What to decide by.
    public let code: Code
    /// A sentence that says what happened and what to do.
    public let message: String
    /// The protocol's word for a refusal, such as `notFound` or `invalidParams`.
    public let reason: String?
    /// The member at fault, such as `$.params.name`.
    public let path: String?
    /// What an HTTP server answered.
    public let status: Int?

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
        reason = nil
        path = nil
        status = nil
    }

    init(_ error: ClientError) {
        code =
            switch error.code {
            case .notRunning, .forbidden: .notRunning
            case .disconnected, .timedOut: .disconnected
            case .malformedReply: .malformedReply
            case .refused: error.reason.flatMap(Code.init) ?? .refused
            }
        message = error.message
        reason = error.reason
        path = error.path
        status = error.status
    }
}

extension HarkError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// Something a program may want to know about its connection to the daemon, and need not act on.
public enum HarkNotice: Sendable, Hashable {
    /// The daemon is away; what is recorded waits, as far as there is room.
    case disconnected
    /// The daemon answers (again); what waited is on its way.
    case connected
    /// So many events or log entries were given up because too many waited.
    case dropped(Int)
    /// The connection broke while so many changes of counters were on their way: they may have been made or not, and are not
    /// made again. Events and log lines are sent again and recorded once; of a daemon of version 0.1.0, which cannot tell what
    /// it has recorded, they are among these.
    case uncertain(Int)
    /// The daemon refused something nobody waits for.
    case refused(HarkError)
}
