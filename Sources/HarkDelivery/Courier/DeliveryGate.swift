internal import HarkCore
package import HarkSystem
package import HarkWire

/// The way to one destination, shared by all lanes that lead there: its breaker, with a clock and a timer.
@DaemonActor
package final class DeliveryGate {
    package let name: String
    package let policy: RetryPolicy
    package private(set) var breaker: Breaker
    /// Whether the network is there, as far as this machine knows; a hint, never a reason not to try.
    package var isOnline = true {
        didSet {
            guard isOnline != oldValue else { return }
            spell += 1
            guard isOnline else { return }
            breaker.networkReturned(at: clock())
            changed()
        }
    }
    /// Counts how often the network went or came.
    private(set) var spell = 0
    /// The spell in which the server was reached last.
    private var provenSpell = 0
    /// Called when something may pass that could not before.
    package var onOpen: () -> Void = {}
    /// The breaker is not as the store has it.
    package private(set) var isDirty = false

    private let clock: @Sendable () -> Timestamp
    private let ageClock: @DaemonActor () -> Timestamp
    private let dice: @Sendable () -> Double
    private let timer: TimerSource

    /// - Parameters:
    ///   - isNewRun: The daemon has not made a gate of that name since it was started.
    ///   - ageClock: Tells what is too old; without it, `clock`.
    package init(
        name: String, policy: RetryPolicy, breaker: Breaker = Breaker(), isNewRun: Bool = true, loop: EventLoop,
        clock: @escaping @Sendable () -> Timestamp, ageClock: (@DaemonActor () -> Timestamp)? = nil,
        dice: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) throws(SystemError) {
        self.name = name
        self.policy = policy
        self.breaker = breaker
        self.clock = clock
        self.ageClock = ageClock ?? clock
        self.dice = dice
        let relay = Relay()
        // Not the machine's real time: a clock that is set back must not make it wait for what is left of a year.
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 10_000) { relay.gate?.onOpen() }
        relay.gate = self
        if isNewRun { self.breaker.restarted(at: clock()) } else { self.breaker.configuredAnew(policy, at: clock()) }
        arm()
    }

    // The timer cannot know its gate before there is one.
    @DaemonActor
    private final class Relay {
        weak var gate: DeliveryGate?
    }

    package var now: Timestamp { clock() }

    /// The time by which it is decided what is too old: a clock that jumps must not empty the buffer.
    var ageNow: Timestamp { ageClock() }

    package func permission() -> Breaker.Permission {
        let permission = breaker.permission(at: clock())
        if permission == .probe { isDirty = true }
        if case .wait = permission { arm() }
        return permission
    }

    /// There is no network, and nothing has shown that this destination does without.
    package var isCutOff: Bool { !isOnline && provenSpell != spell }

    /// Whether a request that began in such a spell failed because the network came or went, which says nothing about
    /// the server, and nothing about the network as it is now.
    func isOutdated(_ failure: DeliveryFailure, since spell: Int) -> Bool {
        failure.isOfNetwork && isOnline && spell != self.spell
    }

    package func succeeded() {
        provenSpell = spell
        guard breaker.state != .closed || breaker.lastFailure != nil else { return }
        if breaker.state == .halfOpen { Log.notice("destination \(name) works again", ["destination": name]) }
        breaker.succeed()
        changed()
    }

    package func failed(_ failure: DeliveryFailure) {
        if breaker.lastFailure != failure {
            Log.warning("destination \(name): \(failure.reason)", ["destination": name])
        }
        breaker.fail(failure, policy: policy, now: clock(), dice: dice())
        changed(mayOpen: false)
    }

    /// The probe was not sent after all; nothing when it was, and its outcome is known.
    package func abandonProbe() {
        guard breaker.state == .halfOpen else { return }
        breaker.abandonProbe(at: clock())
        changed()
    }

    /// Tries now what would be tried later by itself.
    package func hurry() {
        breaker.hurry(at: clock())
        changed()
    }

    package func resume() {
        breaker.resume()
        changed()
    }

    /// Whether a failure costs an entry one of its tries: not for what is no fault of anybody's but the network's.
    func counts(_ failure: DeliveryFailure, since spell: Int, asProbe isProbe: Bool) -> Bool {
        switch failure.kind {
        case .server: true
        case .network: isOnline && spell == self.spell && !isProbe
        case .local, .unreachable, .throttled, .quota, .refused, .unauthorized, .tooLarge, .unsendable, .dropped: false
        }
    }

    /// The store has taken the breaker as it was then.
    package func stored(_ breaker: Breaker) {
        if self.breaker == breaker { isDirty = false }
    }

    /// Nothing is tried any more.
    package func stop() {
        timer.cancel()
        onOpen = {}
    }

    private func changed(mayOpen: Bool = true) {
        isDirty = true
        arm()
        if mayOpen, breaker.state != .halfOpen, breaker.state != .suspended { onOpen() }
    }

    /// Sees that `onOpen` is called when the next try is due; at once if it is already.
    func arm() {
        if let left = breaker.millisecondsLeft(at: clock()) {
            timer.arm(afterMicroseconds: UInt64(left) * 1_000)
        } else {
            timer.disarm()
        }
    }
}
