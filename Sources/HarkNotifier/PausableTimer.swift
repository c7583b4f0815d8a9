import HarkSystem

/// A timer that can be paused, and later runs for the rest of its time.
@DaemonActor
final class PausableTimer {
    private let timer: TimerSource
    private var left: UInt64
    /// The end of the time; nil while it is paused.
    private var end: UInt64?

    /// Creates a paused timer.
    init(
        microseconds: UInt64, on loop: EventLoop, _ body: @escaping @DaemonActor () -> Void
    ) throws(SystemError) {
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 100_000, body)
        left = microseconds
    }

    func go() {
        guard end == nil else { return }
        end = SystemClock.monotonicMicroseconds + left
        timer.arm(afterMicroseconds: left)
    }

    func stop() {
        guard let end else { return }
        self.end = nil
        left = end - min(end, SystemClock.monotonicMicroseconds)
        timer.disarm()
    }
}
