import HarkCore
import HarkWire
import Synchronization

@testable import HarkDaemon
@testable import HarkSettings

/// A clock that stands still until it is moved.
///
/// It begins in the year 2100: timers follow the machine's own clock, and one that is due by this clock must not fire.
final class TestClock: Sendable {
    static let start = Timestamp(milliseconds: 4_102_444_800_000)

    private struct State {
        var now = TestClock.start
        var running: Int64 = 0
        var isSynchronized = false
        var asleep: Int64 = 0
    }

    private let state = Mutex(State())

    var now: Timestamp { state.withLock(\.now) }

    /// The reading of the machine's clocks.
    var reading: ClockBelief.Reading {
        state.withLock {
            .init(wall: $0.now, running: $0.running, boot: "boot", isSynchronized: $0.isSynchronized)
        }
    }

    /// Somebody sets the clock.
    func set(_ now: Timestamp) { state.withLock { $0.now = now } }

    /// Somebody sets the clock ahead, or back.
    func jump(days: Int64) { state.withLock { $0.now = $0.now.adding(milliseconds: days * 86_400_000) } }

    /// Time passes.
    func advance(seconds: Double) {
        state.withLock {
            $0.now = $0.now.adding(milliseconds: Int64(seconds * 1000))
            $0.running += Int64(seconds * 1000)
        }
    }

    /// The clocks for showings.
    var showing: ShowingClock {
        var clock = ShowingClock()
        clock.awake = { [self] in state.withLock { $0.running - $0.asleep } }
        clock.asleep = { [self] in state.withLock(\.asleep) }
        clock.zone = { "Europe/Berlin" }
        clock.namedZone = { ZoneFolder.zone($0) }
        clock.offset = { _ in 60 }
        return clock
    }

    /// The machine is suspended for so long.
    func sleep(seconds: Double) {
        advance(seconds: seconds)
        state.withLock { $0.asleep += Int64(seconds * 1000) }
    }

    /// A time server keeps the clock, or does no longer.
    func setSynchronized(_ isSynchronized: Bool) { state.withLock { $0.isSynchronized = isSynchronized } }
}
