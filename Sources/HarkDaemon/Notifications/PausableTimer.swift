import HarkSystem

/// A timer that can be stopped for a while: what is left of its time is counted from there on.
@DaemonActor
final class PausableTimer {
    private let timer: TimerSource
    private var left: UInt64
    /// When it is over; nil while it is stopped.
    private var end: UInt64?

    /// It is stopped at first.
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
