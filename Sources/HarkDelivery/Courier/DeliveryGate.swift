internal import HarkCore
package import HarkSystem
package import HarkWire

/// The way to one destination, shared by all lanes that lead there: its state, with a clock and a timer.
@DaemonActor
package final class DeliveryGate {
    /// Called when something may pass that could not before.
    package var onOpen: () -> Void = {}

    private var state: GateState
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
        state = GateState(name: name, policy: policy, breaker: breaker, now: clock())
        self.clock = clock
        self.ageClock = ageClock ?? clock
        self.dice = dice
        let relay = Relay()
        // Not the machine's real time: a clock that is set back must not make it wait for what is left of a year.
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 10_000) { relay.gate?.onOpen() }
        relay.gate = self
        state.begin(isNewRun: isNewRun)
        react()
    }

    // The timer cannot know its gate before there is one.
    @DaemonActor
    private final class Relay {
        weak var gate: DeliveryGate?
    }

    package var breaker: Breaker { state.breaker }
    /// There is no network, and nothing has shown that this destination does without.
    package var isCutOff: Bool { state.isCutOff }
    /// Whether the network is there, as far as this machine knows; a hint, never a reason not to try.
    package var isOnline: Bool {
        get { state.isOnline }
        set {
            update { $0.isOnline = newValue }
            react()
        }
    }

    /// Tries now what would be tried later by itself.
    package func hurry() {
        update { $0.hurry() }
        react()
    }

    /// Lets pass what was suspended.
    package func resume() {
        update { $0.resume() }
        react()
    }

    /// Has the state deal with an event, as of now; `react` is to follow, once what the event leads to is begun.
    func update<Result>(_ event: (inout GateState) -> Result) -> Result {
        (state.now, state.ageNow, state.dice) = (clock(), ageClock(), dice())
        return event(&state)
    }

    /// Does what the events before have left to do.
    func react() {
        for duty in state.takeDuties() {
            switch duty {
            case .arm:
                if let left = state.breaker.millisecondsLeft(at: clock()) {
                    timer.arm(afterMicroseconds: UInt64(left) * 1_000)
                } else {
                    timer.disarm()
                }
            case .open: onOpen()
            case .warn(let reason): Log.warning("destination \(state.name): \(reason)", ["destination": state.name])
            case .tell(let news): Log.notice("destination \(state.name) \(news)", ["destination": state.name])
            }
        }
    }

    /// Nothing is tried any more.
    package func stop() {
        timer.cancel()
        onOpen = {}
    }
}
