package import HarkWire

/// Decides when a destination may be tried: the circuit breaker with its backoff. Pure: time and dice are handed in.
///
/// Closed, everything passes. After a failure it waits; after several in a row, or when the server wants less, it is
/// open until a time. Then it lets a single probe pass (half-open), and what becomes of that closes or opens it again.
/// Suspended, nothing passes until somebody resumes it. It is kept in the store, so a restart hammers nobody.
package struct Breaker: Sendable, Equatable {
    package enum State: Int64, Sendable {
        case closed = 0
        /// The wait after a failure; what comes after it is no probe.
        case waiting = 1
        case open = 2
        case halfOpen = 3
        case suspended = 4
    }

    package enum Cause: String, Sendable {
        case failures
        /// The server has asked for the wait.
        case rateLimited
        case quota, refused
    }

    package enum Permission: Sendable, Equatable {
        case go
        /// One parcel may go, and what becomes of it must be told, or `abandonProbe` called.
        case probe
        case wait(until: Timestamp)
        /// Somebody has to resume it, or a probe is under way.
        case no
    }

    package internal(set) var state = State.closed
    package internal(set) var cause: Cause?
    /// In a row.
    package internal(set) var failures = 0
    /// So many failures to reach the server are still put down to the network that has just come back. Not stored.
    private var quickTries = 0
    /// What went wrong last; nil once something was accepted.
    package internal(set) var lastFailure: DeliveryFailure?
    /// When it waits: from when, and until when.
    var since = Timestamp(milliseconds: 0)
    var until = Timestamp(milliseconds: 0)

    package init() {}

    /// When the next try is due; nil when nothing is waited for.
    package var dueAt: Timestamp? { state == .waiting || state == .open ? until : nil }

    /// How long it is until then; a clock that was set back leaves it as long as it was.
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

    /// The clock was set back: what is left to wait stays as long as it was.
    private mutating func shift(to now: Timestamp) {
        until = now.adding(milliseconds: until.milliseconds - since.milliseconds)
        since = now
    }

    package mutating func succeed() {
        // While it waits for what another parcel of the same pass met, this does not end the wait.
        if state == .closed || state == .halfOpen { self = Breaker() }
    }

    package mutating func fail(_ failure: DeliveryFailure, policy: RetryPolicy, now: Timestamp, dice: Double) {
        // Several parcels may be under way; a suspension is not undone by what the others meet.
        guard state != .suspended else { return }
        let isProbe = state == .halfOpen
        if quickTries > 0, failure.kind == .unreachable, failure.retryAfter == nil {
            quickTries -= 1
            lastFailure = failure
            wait(isProbe ? .open : .waiting, .failures, seconds: Breaker.quickSeconds * (1 + dice) / 2, now)
            return
        }
        switch failure.kind {
        // They say nothing about the way there.
        case .refused, .tooLarge, .unsendable, .dropped: return
        case .local: break
        // What fails together is one failure.
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
            // "At once" from a server that wants less is a mistake, its clock's perhaps.
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
        // Of several failures at once, the longest wait holds.
        if let dueAt, until < dueAt { return }
        // What the server has asked for stays its wish, whatever else makes the wait longer.
        if dueAt == nil || self.cause != .rateLimited { self.cause = cause }
        self.state = self.state == .open ? .open : state
        since = now
        self.until = until
    }

    /// The probe was not sent after all.
    package mutating func abandonProbe(at now: Timestamp) {
        guard state == .halfOpen else { return }
        state = .open
        since = now
        until = now
    }

    private static let mostQuickTries = 3
    private static let quickSeconds = 0.2

    /// The network has come back: what was waited for because of it need not be.
    ///
    /// The kernel still looks for the next machine as it did without a network, and may give that up only now ("No route
    /// to host"); so the first tries in vain do not make it wait as long as the failures before have.
    package mutating func networkReturned(at now: Timestamp) {
        quickTries = Breaker.mostQuickTries
        guard cause == .failures, lastFailure?.isOfNetwork == true else { return }
        hurry(at: now)
    }

    /// Tries now what would be tried later, unless the server itself has asked for the wait.
    package mutating func hurry(at now: Timestamp) {
        guard state == .waiting || state == .open, cause != .rateLimited else { return }
        since = now
        until = now
    }

    /// Somebody says that it may go on.
    package mutating func resume() {
        self = Breaker()
    }

    /// The destination was set up anew while the daemon runs: a probe that was under way is nobody's any more, and what
    /// lasts until the next start goes on lasting, unless nothing is to.
    package mutating func configuredAnew(_ policy: RetryPolicy, at now: Timestamp) {
        if state == .halfOpen { abandonProbe(at: now) }
        if state == .suspended, cause == .rateLimited, !policy.suspendsUntilRestart { resume() }
    }

    /// The daemon has started again: a probe that was under way is nobody's any more, and what lasted until now is over.
    package mutating func restarted(at now: Timestamp) {
        if state == .halfOpen { abandonProbe(at: now) }
        if state == .suspended, cause == .rateLimited { resume() }
    }
}
