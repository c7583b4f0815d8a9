internal import HarkCore
package import HarkSystem
package import HarkWire

/// The connection to one destination, shared by all its lanes: a `GateState` with a clock and a timer.
@DaemonActor
package final class DeliveryGate {
    /// Called when records may be sent that could not be sent before.
    package var onOpen: () -> Void = {}

    private var state: GateState
    private let clock: @Sendable () -> Timestamp
    private let ageClock: @DaemonActor () -> Timestamp
    private let dice: @Sendable () -> Double
    private var timer: TimerSource?

    /// - Parameters:
    ///   - isNewRun: Whether this is the first gate of this name since the daemon was started.
    ///   - ageClock: The clock by which ages are measured; by default `clock`.
    package init(
        name: String, policy: RetryPolicy, breaker: Breaker = Breaker(), isNewRun: Bool = true, loop: EventLoop,
        clock: @escaping @Sendable () -> Timestamp, ageClock: (@DaemonActor () -> Timestamp)? = nil,
        dice: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) throws(SystemError) {
        state = GateState(name: name, policy: policy, breaker: breaker, now: clock())
        self.clock = clock
        self.ageClock = ageClock ?? clock
        self.dice = dice
        // Not the real-time clock: a clock that is set back must not extend the wait.
        timer = try loop.timer(clock: .boottime, accuracyMicroseconds: 10_000) { [weak self] in self?.onOpen() }
        state.begin(isNewRun: isNewRun)
        react()
    }

    package var breaker: Breaker { state.breaker }
    /// Whether there is no network, and the destination is not known to work without.
    package var isCutOff: Bool { state.isCutOff }
    /// Whether the network is available, as far as is known; a hint, never a reason not to try.
    package var isOnline: Bool {
        get { state.isOnline }
        set {
            update { $0.isOnline = newValue }
            react()
        }
    }

    /// Retries now instead of later.
    package func hurry() {
        update { $0.hurry() }
        react()
    }

    /// Resumes a suspended destination.
    package func resume() {
        update { $0.resume() }
        react()
    }

    /// Applies an event to the state at the current time; call `react` after starting the actions that follow from it.
    func update<Result>(_ event: (inout GateState) -> Result) -> Result {
        (state.now, state.ageNow, state.dice) = (clock(), ageClock(), dice())
        return event(&state)
    }

    /// Performs the duties that events have left.
    func react() {
        for duty in state.takeDuties() {
            switch duty {
            case .arm:
                if let left = state.breaker.millisecondsLeft(at: clock()) {
                    timer?.arm(afterMicroseconds: UInt64(left) * 1_000)
                } else {
                    timer?.disarm()
                }
            case .open: onOpen()
            case .warn(let reason): Log.warning("destination \(state.name): \(reason)", ["destination": state.name])
            case .tell(let news): Log.notice("destination \(state.name) \(news)", ["destination": state.name])
            }
        }
    }

    /// Stops; nothing is tried any more.
    package func stop() {
        timer?.cancel()
        onOpen = {}
    }
}
