internal import HarkClient

/// Why an operation failed.
public struct HarkError: Error, Sendable, Hashable {
    /// The kind of an error. Later versions may add others, so have a `default`.
    public enum Code: String, Sendable, Hashable {
        /// No daemon answers on the socket.
        case notRunning
        /// The connection ended before the reply; the request may or may not have been carried out.
        case disconnected
        /// The buffer of requests waiting for the daemon is full.
        case bufferFull
        /// The daemon refused; `reason` says why.
        case refused
        /// The reply did not come from the daemon.
        case malformedReply
        /// No destination is configured for log entries.
        case notConfigured
        /// The server for a confirmed log entry was not reached.
        case networkError
        /// The server refused; `status` has its reply.
        case serverError
        /// The entry is too large for a request.
        case encodingFailed
        /// The server limits the rate.
        case rateLimited
        /// The server's quota is used up.
        case quotaExceeded
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what happened and what to do.
    public let message: String
    /// The protocol's word for a refusal, such as `notFound` or `invalidParams`.
    public let reason: String?
    /// The invalid member, such as `$.params.name`.
    public let path: String?
    /// The status of an HTTP server.
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
            case .refused: error.word.flatMap(Code.init) ?? .refused
            }
        message = error.message
        reason = error.word
        path = error.path
        status = error.status
    }
}

extension HarkError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// A notice about the connection to the daemon, which needs no action.
public enum HarkNotice: Sendable, Hashable {
    /// The daemon is away. New records wait, as long as there is room.
    case disconnected
    /// The daemon answers (again). Waiting records are being sent.
    case connected
    /// This many events or log entries were dropped because the buffer was full.
    case dropped(Int)
    /// The connection broke while this many changes of counters were in flight. They may or may not have been made, and
    /// are not repeated. Events and log lines are sent again and recorded once. With a daemon of version 0.1.0, which
    /// cannot tell what it has recorded, they are counted here too.
    case uncertain(Int)
    /// The daemon refused a request that no caller waits for.
    case refused(HarkError)
}
