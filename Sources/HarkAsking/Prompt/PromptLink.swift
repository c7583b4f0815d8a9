import Glibc
package import HarkClient
package import HarkWire

/// A program's connection to the daemon while it waits for the answer to its prompt. It can be made anew after the daemon
/// went away: what was asked is found by its id, and not asked again.
package final class PromptLink {
    /// How it stood when last told.
    package private(set) var standing: PromptReply
    package private(set) var isAway = false
    private var connection: Connection
    /// The request that is replied to once it is over.
    private var waiting: Int64 = 0

    private static let patience = 10.0
    private static let pause: UInt32 = 200_000
    /// How often the asking itself is tried again where its connection breaks.
    private static let attempts = 50

    /// Asks, and begins to wait.
    ///
    /// - Parameter params: those of `prompt.ask`, with an id, so that they can be sent again.
    package init(asking params: [UInt8]) throws(ClientError) {
        var connection = try Connection()
        standing = try Self.ask(params, on: &connection)
        self.connection = connection
        try wait()
    }

    /// Begins to wait for what was asked before.
    package init(_ promptId: String) throws(ClientError) {
        var connection = try Connection()
        connection.patience = Self.patience
        standing = try PromptReply(try connection.call(.promptGet) { $0.member(.prompt, promptId) })
        self.connection = connection
        try wait()
    }

    /// Asks, and does not wait.
    package static func ask(_ params: [UInt8]) throws(ClientError) -> PromptReply {
        var connection = try Connection()
        return try ask(params, on: &connection)
    }

    private static func ask(
        _ params: [UInt8], on connection: inout Connection
    ) throws(ClientError) -> PromptReply {
        var attempt = 0
        while true {
            do throws(ClientError) {
                connection.patience = patience
                return try PromptReply(try connection.call(.promptAsk, params))
            } catch {
                // Whether it was asked is not known; its id sees to it that it is asked once.
                attempt += 1
                guard isLoss(error), attempt < attempts else { throw error }
                usleep(pause)
                do throws(ClientError) { connection = try Connection() } catch { continue }
            }
        }
    }

    /// Readable when there is something to hear; -1 while the daemon is away.
    package var descriptor: CInt { isAway ? -1 : connection.descriptor }

    private func wait() throws(ClientError) {
        let params = JSONWriter.object { $0.member(.prompt, standing.promptId) }
        waiting = try connection.submit(MethodShape.promptWait.name, params)
    }

    /// How it ended; nil while it waits for an answer.
    ///
    /// - Throws: when the daemon went away; `reconnect` then.
    package func heard() throws(ClientError) -> PromptReply? {
        if standing.state != .open { return standing }
        guard !isAway else { return nil }
        connection.patience = 0
        do throws(ClientError) {
            standing = try PromptReply(try connection.result(of: waiting))
            return standing
        } catch {
            if error.code == .timedOut { return nil }
            if Self.isLoss(error) { isAway = true }
            throw error
        }
    }

    /// Connects again after the daemon went away, and goes on waiting.
    package func reconnect() throws(ClientError) {
        connection = try Connection()
        connection.patience = Self.patience
        try wait()
        isAway = false
    }

    /// A call beside the waiting.
    @discardableResult
    package func call(_ method: MethodShape, _ params: [UInt8]) throws(ClientError) -> JSONText {
        var connection = try Connection()
        connection.patience = Self.patience
        return try connection.call(method, params)
    }

    /// Takes it back, as nobody waits any more; where the daemon does not answer, it does so itself after a while.
    package func cancel() {
        _ = try? call(.promptCancel, JSONWriter.object { $0.member(.prompt, standing.promptId) })
    }

    /// Whether the daemon went away, or is just going.
    package static func isLoss(_ error: ClientError) -> Bool {
        [.disconnected, .notRunning].contains(error.code) || error.reason == "shuttingDown"
    }
}
