import HarkClient
import HarkWire

/// Reconnects a command that follows a stream: reports a broken stream once, waits, and continues.
struct Reconnection {
    private let console: Console
    /// Whether "went away" was printed and "is back" was not.
    private var isAway = false
    /// The delay before the next attempt, in milliseconds; 0 while the stream is connected.
    private var pause: CInt = 0

    init(_ console: Console) {
        self.console = console
    }

    /// Follows a stream over successive connections. Ends only by a signal or by an error that waiting does not
    /// resolve.
    ///
    /// - Parameter body: Subscribes, calls `succeeded`, and prints what arrives.
    mutating func follow(
        _ first: consuming Connection, _ body: (inout Connection, inout Reconnection) throws -> Void
    ) throws {
        var connection = first
        while true {
            do {
                try body(&connection, &self)
            } catch let error as ClientError where error.isPassing {
                try console.flush()
                explain(error)
            }
            connection = try connect()
        }
    }

    /// Notes that the stream is connected.
    mutating func succeeded() {
        if isAway { console.say("hark: the daemon is back") }
        isAway = false
        pause = 0
    }

    /// Prints once why nothing arrives.
    private mutating func explain(_ error: ClientError) {
        if error.reason == "slowReader" {
            console.say("hark: cut off for reading too slowly; going on where it was")
        } else if !isAway {
            isAway = true
            let reason = if case .refused = error.code { error.message } else { "the daemon went away" }
            console.say("hark: \(VisibleText.make(reason)); waiting, Ctrl-C ends")
        }
    }

    /// Retries until it connects; throws errors that waiting does not resolve.
    private mutating func connect() throws(ClientError) -> Connection {
        while true {
            console.wait(for: -1, atMost: pause)
            pause = min(max(pause * 2, 50), 1000)
            do throws(ClientError) {
                return try Connection()
            } catch {
                if !error.isPassing { throw error }
            }
        }
    }
}

extension Connection {
    /// Waits for the next notification, and flushes the console before it waits.
    mutating func nextNotification(
        printedOn console: Console
    ) throws(ClientError) -> (method: String, params: JSONText)? {
        if !hasNotification() { console.wait(for: descriptor) }
        return try nextNotification()
    }
}
