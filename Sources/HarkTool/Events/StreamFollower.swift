import HarkClient
import HarkWire

/// Follows a stream of the daemon across its restarts: reports a broken stream once, waits, and continues.
struct StreamFollower {
    let console: Console

    /// Follows a stream over successive connections. Ends only by a signal or by an error that waiting does not
    /// resolve.
    ///
    /// - Parameters:
    ///   - subscribe: Starts the stream, from where it was.
    ///   - take: Prints what arrives: the reply that starts the stream, without a method, and notifications.
    func follow(
        _ first: consuming Connection, _ subscribe: (inout Connection) throws -> JSONText,
        _ take: (_ method: String?, JSONText) throws -> Void
    ) throws {
        var connection = first
        var course = Reconnection()
        var hasTold = false
        while true {
            do {
                let reply = try subscribe(&connection)
                course.succeeded()
                if hasTold { console.say("hark: the daemon is back") }
                hasTold = false
                try take(nil, reply)
                while true {
                    if !connection.hasNotification() {
                        try console.flush()
                        console.wait(for: connection.descriptor)
                    }
                    if let (method, params) = try connection.nextNotification() { try take(method, params) }
                }
            } catch let error as ClientError where error.isPassing {
                try console.flush()
                course.failed(at: MonotonicClock.now)
                explain(error, &hasTold)
            }
            connection = try course.reach(wait: { console.wait(for: -1, atMost: $0) })
        }
    }

    /// Prints why nothing arrives, once.
    private func explain(_ error: ClientError, _ hasTold: inout Bool) {
        if error.reason == .slowReader {
            console.say("hark: cut off for reading too slowly; going on where it was")
        } else if !hasTold {
            hasTold = true
            let reason = if case .refused = error.code { error.message } else { "the daemon went away" }
            console.say("hark: \(VisibleText.make(reason)); waiting, Ctrl-C ends")
        }
    }
}
