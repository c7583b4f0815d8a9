import HarkSystem

/// Releases memory that only work needs, a second after the start and whenever there was no request for half a minute:
/// half of the resident memory, and more after much work. The next request takes 0.5 ms longer.
///
/// It wakes the daemon once after a period of work, and once per half minute during it.
@DaemonActor
final class IdleMemory {
    private static let afterStartMicroseconds: UInt64 = 1_000_000
    private static let afterUseMicroseconds: UInt64 = 30_000_000

    private let clock: () -> UInt64
    private let release: () -> Void
    private var timer: TimerSource?
    private var isArmed = true
    /// Microseconds of the monotonic clock; nil before the first request.
    private var lastUse: UInt64?

    init(
        loop: EventLoop, clock: @escaping () -> UInt64 = { SystemClock.monotonicMicroseconds },
        release: @escaping () -> Void = ProcessMemory.release
    ) throws(SystemError) {
        self.clock = clock
        self.release = release
        timer = try loop.timer(clock: .monotonic, accuracyMicroseconds: 1_000_000) { [weak self] in _ = self?.look() }
        timer?.arm(afterMicroseconds: Self.afterStartMicroseconds)
    }

    /// Notes a request; called often, so it must be cheap.
    func noteUse() {
        lastUse = clock()
        if !isArmed { arm(afterMicroseconds: Self.afterUseMicroseconds) }
    }

    /// Releases memory if the time is over. Returns how long to wait otherwise; nil if it sleeps until the next use.
    func look() -> UInt64? {
        isArmed = false
        let idle = lastUse.map { clock() - $0 } ?? .max
        guard idle < Self.afterUseMicroseconds else {
            release()
            return nil
        }
        arm(afterMicroseconds: Self.afterUseMicroseconds - idle)
        return Self.afterUseMicroseconds - idle
    }

    func end() {
        timer?.cancel()
        timer = nil
    }

    private func arm(afterMicroseconds delay: UInt64) {
        isArmed = true
        timer?.arm(afterMicroseconds: delay)
    }
}
