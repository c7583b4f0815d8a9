/// How persistently a destination is tried.
package struct RetryPolicy: Sendable, Equatable {
    package var backoff = Backoff()
    /// So many failures in a row open the breaker.
    package var breakerThreshold = 3
    /// Tries of an entry that the server answered with a fault, or did not answer; nil for as many as it takes.
    package var maxAttempts: Int? = 3
    /// A 429 ends all delivery until the daemon starts again.
    package var suspendsUntilRestart = false

    package init() {}

    /// Longer than this nobody is made to wait, whatever the server says.
    package static let longestRetryAfterSeconds: Double = 86_400

    /// For a destination on this machine: nothing is ever given up, and it is tried again soon.
    package static let local: RetryPolicy = {
        var policy = RetryPolicy()
        policy.maxAttempts = nil
        return policy
    }()
}
