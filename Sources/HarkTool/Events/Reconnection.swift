import HarkClient
import HarkWire

/// What a command that follows a stream does when the stream breaks: it says so once, waits, and goes on.
struct Reconnection {
    private let console: Console
    /// Whether "went away" was said and "is back" was not.
    private var isAway = false
    /// Milliseconds before the next attempt; 0 while the stream flows.
    private var pause: CInt = 0

    init(_ console: Console) {
        self.console = console
    }

    /// Follows a stream on one connection after the other. Ends only by a signal or by an error that waiting does not cure.
    ///
    /// - Parameter body: subscribes, says that it succeeded, and shows what comes.
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

    /// The stream flows.
    mutating func succeeded() {
        if isAway { console.say("hark: the daemon is back") }
        isAway = false
        pause = 0
    }

    /// Says once why nothing comes.
    private mutating func explain(_ error: ClientError) {
        if error.reason == "slowReader" {
            console.say("hark: cut off for reading too slowly; going on where it was")
        } else if !isAway {
            isAway = true
            let reason = if case .refused = error.code { error.message } else { "the daemon went away" }
            console.say("hark: \(VisibleText.make(reason)); waiting, Ctrl-C ends")
        }
    }

    /// Tries until there is a connection; throws what waiting does not cure.
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
    /// The next notification, for a command that prints what comes.
    mutating func nextNotification(
        printedOn console: Console
    ) throws(ClientError) -> (method: String, params: JSONText)? {
        if !hasNotification() { console.wait(for: descriptor) }
        return try nextNotification()
    }
}
