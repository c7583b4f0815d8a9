internal import HarkSystem

/// The one time libcurl waits for, which it puts off and takes back with every request.
///
/// Telling the kernel each time costs more than the rest of a small request. So its timer is only ever set to something
/// earlier; when it fires before its time, which happens once after some requests, it is set again.
@DaemonActor
final class CurlAlarm {
    private let ring: @DaemonActor () -> Void
    private var timer: TimerSource?
    /// When to ring; microseconds of the monotonic clock.
    private var due: UInt64?
    /// When the timer fires.
    private var armedFor: UInt64?
    /// It rings with the next turn of the loop.
    private var isCalled = false

    init(loop: EventLoop, _ ring: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.ring = ring
        let relay = Relay()
        timer = try loop.timer(clock: .monotonic) { relay.alarm?.fired() }
        relay.alarm = self
    }

    // The timer cannot know its alarm before there is one.
    @DaemonActor
    private final class Relay {
        weak var alarm: CurlAlarm?
    }

    /// Rings once, after so long; never for nil. What was set before holds no more.
    func set(afterMilliseconds delay: UInt64?) {
        guard let delay, delay > 0 else {
            due = nil
            if delay == 0 { call() }
            return
        }
        let due = SystemClock.monotonicMicroseconds + delay * 1_000
        self.due = due
        if armedFor.map({ due < $0 }) ?? true { arm(for: due, after: delay * 1_000) }
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        due = nil
    }

    /// Every request begins with a time of 0, which must not wait for a timer.
    private func call() {
        guard !isCalled else { return }
        isCalled = true
        DaemonActor.post { [self] in
            isCalled = false
            if timer != nil { ring() }
        }
    }

    private func arm(for time: UInt64, after microseconds: UInt64) {
        armedFor = time
        timer?.arm(afterMicroseconds: microseconds)
    }

    private func fired() {
        armedFor = nil
        guard let due else { return }
        let now = SystemClock.monotonicMicroseconds
        if due > now { return arm(for: due, after: due - now) }
        self.due = nil
        ring()
    }
}
