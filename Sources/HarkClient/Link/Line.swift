import Glibc
package import HarkWire

/// A connection that is opened again after the daemon went away.
package final class Line {
    package var connection: Connection
    /// Whether the daemon went away, and `reconnect` was not called since.
    package private(set) var isAway = false

    package init(_ connection: consuming Connection) { self.connection = connection }

    /// - Parameter patience: The timeout for replies in seconds.
    package convenience init(patience: Double?) throws(ClientError) {
        self.init(try Connection())
        connection.patience = patience
    }

    /// A descriptor that becomes readable on incoming data; -1 while the daemon is away.
    package var descriptor: CInt { isAway ? -1 : connection.descriptor }

    /// Uses the connection, and notes when that shows that the daemon went away.
    package func use<Result>(
        _ body: (inout Connection) throws(ClientError) -> Result
    ) throws(ClientError) -> Result {
        do throws(ClientError) {
            return try body(&connection)
        } catch {
            if error.isLoss { isAway = true }
            throw error
        }
    }

    package func call<Request: WireMethod>(_ request: Request) throws(ClientError) -> Reply<Request.Result> {
        try use { connection throws(ClientError) in try connection.call(request) }
    }

    /// Returns the next notification that has come; nil if there is none, or the daemon is away.
    package func heard() throws(ClientError) -> (method: String, params: JSONText)? {
        if isAway { return nil }
        return try use { connection throws(ClientError) in try connection.nextNotification(within: 0) }
    }

    /// Ends the connection, and the state that the daemon keeps for it.
    package func lose() {
        isAway = true
        shutdown(connection.descriptor, CInt(SHUT_RDWR))
    }

    /// Connects again, with the same patience.
    package func reconnect() throws(ClientError) {
        let patience = connection.patience
        connection = try Connection()
        connection.patience = patience
        isAway = false
    }
}
