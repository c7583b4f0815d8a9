internal import HarkSystem

/// The single timer of libcurl, which libcurl changes with every request.
///
/// Setting a kernel timer each time costs more than the rest of a small request. So the timer is only set to an earlier
/// time; if it fires too early, once after several requests, it is set again.
@DaemonActor
final class CurlAlarm {
    private let ring: @DaemonActor () -> Void
    private var timer: TimerSource?
    /// The wanted time, in microseconds of the monotonic clock.
    private var due: UInt64?
    /// The time at which the timer fires.
    private var armedFor: UInt64?
    /// Whether it fires with the next turn of the loop.
    private var isCalled = false

    init(loop: EventLoop, _ ring: @escaping @DaemonActor () -> Void) throws(SystemError) {
        self.ring = ring
        timer = try loop.timer(clock: .monotonic) { [weak self] in self?.fired() }
    }

    /// Fires once after a delay, or never for nil; replaces the previous time.
    func set(afterMilliseconds delay: UInt64?) {
        guard let delay, delay > 0 else {
            due = nil
            if delay == 0 { call() }
            return
        }
        let due = SystemClock.monotonicMicroseconds + delay * 1_000
        self.due = due
        if armedFor.map({ due < $0 }) ?? true { arm(for: due) }
    }

    func cancel() {
        timer?.cancel()
        timer = nil
        due = nil
    }

    /// Fires soon. Every request begins with a time of 0, for which a timer would be too slow.
    private func call() {
        guard !isCalled else { return }
        isCalled = true
        DaemonActor.post { [self] in
            isCalled = false
            if timer != nil { ring() }
        }
    }

    private func arm(for time: UInt64) {
        armedFor = time
        timer?.arm(atMicroseconds: time)
    }

    private func fired() {
        armedFor = nil
        guard let due else { return }
        if due > SystemClock.monotonicMicroseconds { return arm(for: due) }
        self.due = nil
        ring()
    }
}
