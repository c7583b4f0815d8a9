package import HarkWire

/// Why a request failed: the daemon was not reached, the connection broke, or the daemon refused.
package struct ClientError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        /// No daemon listens on any of the sockets.
        case notRunning
        /// The socket exists, but this user may not open it.
        case forbidden
        /// The connection ended or broke. The request may or may not have been carried out.
        case disconnected
        /// No reply within the timeout.
        case timedOut
        /// The reply is not valid in the protocol.
        case malformedReply
        /// An error reply from the daemon, with its numeric code.
        case refused(Int64)
    }

    package let code: Code
    /// One sentence that says what happened. User data appears only if the daemon included it.
    package let message: String
    /// The stable word of an error reply (`notFound`, `invalidParams` …). A newer daemon has words that are no reason here.
    package let word: String?
    /// The member that an error reply is about, such as `$.params.name`.
    package let path: String?
    /// What to do next, if the client knows it.
    package let hint: String?
    /// The status of an HTTP server that caused the error.
    package var status: Int?

    package init(_ code: Code, _ message: String, reason: String? = nil, path: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        word = reason
        self.path = path
        self.hint = hint
    }

    /// Makes an error from the `error` member of an error reply.
    package init(reply error: JSONText) {
        let told = RefusalInfo(error)
        self.init(
            .refused(told.code), told.message.isEmpty ? "the daemon refused and gave no reason" : told.message,
            reason: told.data?.reason, path: told.data?.path)
        status = told.data?.status.map { Int($0) }
    }

    package var reason: ErrorReason? { word.flatMap(ErrorReason.init) }

    package var exitCode: ExitCode {
        switch code {
        case .notRunning, .disconnected: .unavailable
        case .forbidden: .noPermission
        case .timedOut: .temporary
        case .malformedReply: .software
        case .refused(let number): Self.exitCode(ofReply: number)
        }
    }

    /// Whether a retry later may succeed without any change here.
    package var isPassing: Bool {
        switch code {
        case .notRunning, .disconnected, .timedOut: true
        case .refused: exitCode == .temporary
        case .forbidden, .malformedReply: false
        }
    }

    /// Whether the daemon went away, or is shutting down.
    package var isLoss: Bool { code == .disconnected || code == .notRunning || reason == .shuttingDown }

    private static func exitCode(ofReply number: Int64) -> ExitCode {
        switch number {
        case -32601: .usage
        case -32700, -32600, -32602, -32003, -32007, -32009, -32013: .data
        case -32001: .noInput
        case -32002, -32014: .noPermission
        case -32010: .configuration
        case -32011: .unavailable
        case -32012: .server
        case -32000, -32004, -32005, -32006, -32008: .temporary
        default: .software
        }
    }
}
