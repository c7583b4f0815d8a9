import HarkSystem

/// Lets go of the memory that only work needs, a second after the start and whenever nobody has asked for anything for
/// half a minute: half of what is resident otherwise, and more after much work. The next request pays 0.5 ms for it.
///
/// It wakes the daemon up once after a time of work, and once a half minute during it.
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

    /// Somebody asks for something; called often, so it does next to nothing.
    func noteUse() {
        lastUse = clock()
        if !isArmed { arm(afterMicroseconds: Self.afterUseMicroseconds) }
    }

    /// The time may be over. Returns how long to wait for another look; nil when it sleeps until the next use.
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
