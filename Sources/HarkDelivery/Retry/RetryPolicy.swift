package import HarkWire

/// How persistently a destination is tried.
package struct RetryPolicy: Sendable, Equatable {
    package var backoff = Backoff()
    /// The failures in a row that open the breaker.
    package var breakerThreshold = 3
    /// The tries of an entry that the server failed on or did not answer; nil for no limit.
    package var maxAttempts: Int? = 3
    /// Whether a 429 ends all delivery until the daemon restarts.
    package var suspendsUntilRestart = false

    package init() {}

    /// The longest wait that a server may request.
    package static let longestRetryAfterSeconds: Double = 86_400

    /// For a destination on this machine: nothing is given up, and retries are soon.
    package static let local: RetryPolicy = {
        var policy = RetryPolicy()
        policy.maxAttempts = nil
        return policy
    }()
}
