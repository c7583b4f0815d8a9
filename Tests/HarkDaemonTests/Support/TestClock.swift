import HarkWire
import Synchronization

/// A clock that stands still until it is moved.
///
/// It begins in the year 2100: timers follow the machine's own clock, and one that is due by this clock must not fire.
final class TestClock: Sendable {
    static let start = Timestamp(milliseconds: 4_102_444_800_000)

    private let time = Mutex(TestClock.start)

    var now: Timestamp { time.withLock { $0 } }

    func set(_ now: Timestamp) { time.withLock { $0 = now } }

    func advance(seconds: Double) { time.withLock { $0 = $0.adding(milliseconds: Int64(seconds * 1000)) } }
}
