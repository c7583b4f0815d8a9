package import HarkClient
package import HarkWire

/// A program's connection to the daemon while it waits for the answer to its prompt. It can be reopened after the
/// daemon went away: the prompt is found by its id and not asked again.
package final class PromptLink {
    /// The last known state.
    package private(set) var standing: PromptReply
    private let line: Line
    /// The request whose reply reports the end.
    private var waiting: Int64 = 0

    /// The timeout for a reply, and for a daemon that goes away while it is asked, in seconds.
    private static let patience = 10.0

    /// Asks a prompt and starts to wait.
    ///
    /// - Parameter request: A request with an id, so that it can be repeated.
    package init(asking request: PromptAsk) throws(ClientError) {
        line = try Line(patience: Self.patience)
        standing = try Self.ask(request, on: line)
        try wait()
    }

    /// Starts to wait for a prompt that was asked earlier.
    package init(_ promptId: String) throws(ClientError) {
        line = try Line(patience: Self.patience)
        standing = try PromptReply(try line.connection.call(PromptGet(promptId)).text)
        try wait()
    }

    /// Asks a prompt without waiting.
    package static func ask(_ request: PromptAsk) throws(ClientError) -> PromptReply {
        try ask(request, on: try Line(patience: patience))
    }

    private static func ask(_ request: PromptAsk, on line: Line) throws(ClientError) -> PromptReply {
        var course = Reconnection(until: MonotonicClock.now + patience)
        return try course.reach(where: \.isLoss) { () throws(ClientError) in
            // The prompt may or may not have been asked before; the id ensures that it is asked once.
            if line.isAway { try line.reconnect() }
            return try PromptReply(try line.call(request).text)
        }
    }

    package var isAway: Bool { line.isAway }
    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    package var descriptor: CInt { line.descriptor }

    private func wait() throws(ClientError) {
        let request = PromptWait(standing.promptId)
        waiting = try line.use { connection throws(ClientError) in try connection.submit(request) }
    }

    /// Returns the final state; nil while the prompt waits for an answer.
    ///
    /// - Throws: If the daemon went away; then call `reconnect`.
    package func heard() throws(ClientError) -> PromptReply? {
        if standing.state != .open { return standing }
        guard !isAway else { return nil }
        line.connection.patience = 0
        do throws(ClientError) {
            standing = try PromptReply(
                try line.use { connection throws(ClientError) in try connection.result(of: waiting) })
            return standing
        } catch {
            if error.code == .timedOut { return nil }
            throw error
        }
    }

    /// Connects again after the daemon went away, and continues to wait.
    package func reconnect() throws(ClientError) {
        try line.reconnect()
        try wait()
    }

    /// Calls a method on another connection.
    package func call(_ request: some WireMethod) throws(ClientError) {
        var connection = try Connection()
        connection.patience = Self.patience
        _ = try connection.call(request)
    }

    /// Cancels the prompt, because no caller waits any more. If the daemon does not answer, it cancels the prompt
    /// itself after a while.
    package func cancel() {
        _ = try? call(PromptCancel(standing.promptId))
    }
}
