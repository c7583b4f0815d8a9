import Glibc
import HarkWire

/// When a client that lost the daemon tries to reach it again: at once, then after longer and longer pauses, until its
/// patience ends. Pure: times are parameters, in seconds of `MonotonicClock`.
package struct Reconnection: Sendable, Equatable {
    /// The pauses of all clients. The daemon is on this machine, so an attempt costs little.
    private static let backoff = Backoff(base: 0.05, cap: 1)

    /// The time at which it gives up.
    package let end: Double
    private var failures = 0
    /// The time of the last failure, also of one since which the daemon has answered.
    private var lastFailure = -Double.infinity
    /// The time of the next attempt.
    package private(set) var nextTry = -Double.infinity

    package init(until end: Double = .infinity) { self.end = end }

    /// Whether the daemon was lost, or not reached, and has not answered since.
    package var isAway: Bool { failures > 0 }

    /// Notes that the daemon was lost or not reached. Returns whether it was there before.
    @discardableResult
    package mutating func failed(at now: Double) -> Bool {
        // A connection that breaks as soon as the daemon has answered is not tried at once either.
        let isSoon = isAway || now < lastFailure + Self.backoff.cap
        nextTry = isSoon ? now + Self.backoff.wait(afterFailures: max(1, failures)) : now
        lastFailure = now
        failures += 1
        return failures == 1
    }

    /// Notes that the daemon has answered. Returns whether it was away before.
    @discardableResult
    package mutating func succeeded() -> Bool {
        defer { (failures, nextTry) = (0, -Double.infinity) }
        return isAway
    }

    /// The milliseconds until the next attempt.
    package func pause(at now: Double) -> CInt { CInt((max(0, nextTry - now) * 1_000).rounded(.up)) }

    /// Reaches the daemon, with as many attempts as it takes.
    ///
    /// - Parameters:
    ///   - mayPass: Whether a later attempt may succeed.
    ///   - attempt: One of them; without it, a new connection.
    ///   - wait: Waits for a number of milliseconds.
    /// - Throws: An error that waiting does not resolve, or the last one.
    package mutating func reach<Reached: ~Copyable>(
        where mayPass: (ClientError) -> Bool = { $0.isPassing },
        _ attempt: () throws(ClientError) -> Reached = { () throws(ClientError) in try Connection() },
        wait: (CInt) throws(ClientError) -> Void = { poll(nil, 0, $0) }
    ) throws(ClientError) -> Reached {
        while true {
            try wait(pause(at: MonotonicClock.now))
            do throws(ClientError) {
                return try attempt()
            } catch {
                let now = MonotonicClock.now
                guard mayPass(error), now < end else { throw error }
                failed(at: now)
            }
        }
    }
}
