package import HarkWire

/// A circuit breaker with backoff, which decides when a destination may be tried. Pure: time and dice are parameters.
///
/// Closed, everything passes. It waits after a failure; after several in a row, or at the server's request, it is open
/// for a time. Then it lets a probe pass (half-open), whose result closes or opens it again. Suspended, nothing passes
/// until it is resumed. It is stored, so that a restart floods no server.
package struct Breaker: Sendable, Equatable {
    package enum State: Int64, Sendable {
        case closed = 0
        /// The wait after a failure; the next try is no probe.
        case waiting = 1
        case open = 2
        case halfOpen = 3
        case suspended = 4
    }

    package enum Cause: String, Sendable {
        case failures
        /// The server has requested the wait.
        case rateLimited
        case quota, refused
    }

    package enum Permission: Sendable, Equatable {
        case go
        /// One parcel may be sent; its result must be reported, or `abandonProbe` called.
        case probe
        case wait(until: Timestamp)
        /// It must be resumed, or a probe is in progress.
        case no
    }

    package internal(set) var state = State.closed
    package internal(set) var cause: Cause?
    /// The failures in a row.
    package internal(set) var failures = 0
    /// The number of failures to reach the server that are still attributed to the network's return. Not stored.
    private var quickTries = 0
    /// The last failure; nil once something was accepted.
    package internal(set) var lastFailure: DeliveryFailure?
    /// The beginning and the end of the wait.
    var since = Timestamp(milliseconds: 0)
    var until = Timestamp(milliseconds: 0)

    package init() {}

    /// When the next try is due; nil if there is no wait.
    package var dueAt: Timestamp? { state == .waiting || state == .open ? until : nil }

    /// The rest of the wait; a clock that was set back does not extend it.
    package func millisecondsLeft(at now: Timestamp) -> Int64? {
        dueAt.map { due in max(0, due.milliseconds - max(now, since).milliseconds) }
    }

    package mutating func permission(at now: Timestamp) -> Permission {
        switch state {
        case .closed: return .go
        case .halfOpen, .suspended: return .no
        case .waiting, .open:
            if now < since { shift(to: now) }
            guard now >= until else { return .wait(until: until) }
            if state == .waiting {
                state = .closed
                return .go
            }
            state = .halfOpen
            return .probe
        }
    }

    /// Moves the wait after the clock was set back; its rest stays the same.
    private mutating func shift(to now: Timestamp) {
        until = now.adding(milliseconds: until.milliseconds - since.milliseconds)
        since = now
    }

    package mutating func succeed() {
        // A success of another parcel of the same pass does not end the wait.
        if state == .closed || state == .halfOpen { self = Breaker() }
    }

    package mutating func fail(_ failure: DeliveryFailure, policy: RetryPolicy, now: Timestamp, dice: Double) {
        // Several parcels may be in progress; their failures do not undo a suspension.
        guard state != .suspended else { return }
        let isProbe = state == .halfOpen
        if quickTries > 0, failure.kind == .unreachable, failure.retryAfter == nil {
            quickTries -= 1
            lastFailure = failure
            wait(isProbe ? .open : .waiting, .failures, seconds: Breaker.quickSeconds * (1 + dice) / 2, now)
            return
        }
        switch failure.kind {
        // These say nothing about the connection.
        case .refused, .tooLarge, .unsendable, .dropped: return
        case .local: break
        // Simultaneous failures count as one.
        case .unreachable, .network, .server, .throttled, .quota, .unauthorized:
            if state == .closed || isProbe { failures += 1 }
        }
        lastFailure = failure
        let base = policy.backoff.base
        let backoff = policy.backoff.wait(afterFailures: failures, dice: dice)
        let asked = failure.retryAfter.map { min($0, RetryPolicy.longestRetryAfterSeconds) }
        switch failure.kind {
        case .quota: suspend(.quota)
        case .throttled where policy.suspendsUntilRestart: suspend(.rateLimited)
        case .throttled:
            // A server that requests less cannot mean "at once"; its clock may be wrong.
            wait(.open, .rateLimited, seconds: asked.map { max($0, min(base, 1)) } ?? max(backoff, base), now)
        case .unauthorized: wait(.open, .refused, seconds: max(backoff, base), now)
        case .local: wait(isProbe ? .open : .waiting, .failures, seconds: asked ?? base, now)
        case .unreachable, .network, .server:
            let isOpen = isProbe || failures >= policy.breakerThreshold
            wait(
                isOpen ? .open : .waiting, asked == nil ? .failures : .rateLimited, seconds: max(backoff, asked ?? 0),
                now)
        case .refused, .tooLarge, .unsendable, .dropped: break
        }
    }

    private mutating func suspend(_ cause: Cause) {
        state = .suspended
        self.cause = cause
    }

    private mutating func wait(_ state: State, _ cause: Cause, seconds: Double, _ now: Timestamp) {
        let until = now.adding(milliseconds: Int64(seconds * 1_000))
        // Of simultaneous failures, the longest wait counts.
        if let dueAt, until < dueAt { return }
        // A wait that the server requested keeps this cause, even if another failure extends it.
        if dueAt == nil || self.cause != .rateLimited { self.cause = cause }
        self.state = self.state == .open ? .open : state
        since = now
        self.until = until
    }

    /// Gives up a probe that was not sent.
    package mutating func abandonProbe(at now: Timestamp) {
        guard state == .halfOpen else { return }
        state = .open
        since = now
        until = now
    }

    private static let mostQuickTries = 3
    private static let quickSeconds = 0.2

    /// Ends a wait caused by the network, which has returned.
    ///
    /// The kernel may still resolve the next hop as without a network, and give up only now ("No route to host"); so
    /// the first failures after the return lead to short waits.
    package mutating func networkReturned(at now: Timestamp) {
        quickTries = Breaker.mostQuickTries
        guard cause == .failures, lastFailure?.isOfNetwork == true else { return }
        hurry(at: now)
    }

    /// Retries now, unless the server has requested the wait.
    package mutating func hurry(at now: Timestamp) {
        guard state == .waiting || state == .open, cause != .rateLimited else { return }
        since = now
        until = now
    }

    /// Closes the breaker on request.
    package mutating func resume() {
        self = Breaker()
    }

    /// Adapts to changed settings: a probe in progress is abandoned; a suspension until a restart continues, unless the
    /// new policy has none.
    package mutating func configuredAnew(_ policy: RetryPolicy, at now: Timestamp) {
        if state == .halfOpen { abandonProbe(at: now) }
        if state == .suspended, cause == .rateLimited, !policy.suspendsUntilRestart { resume() }
    }

    /// Adapts to a restart of the daemon: a probe in progress is abandoned, and a suspension until the restart ends.
    package mutating func restarted(at now: Timestamp) {
        if state == .halfOpen { abandonProbe(at: now) }
        if state == .suspended, cause == .rateLimited { resume() }
    }
}
