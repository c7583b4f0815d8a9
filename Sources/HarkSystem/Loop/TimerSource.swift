import CSystemd
import Glibc

/// The clock of a timer.
package enum TimerClock: Sendable {
    /// Wall-clock time since 1970. Follows every change of the clock, and includes suspension.
    case realtime
    /// Time since some start; never jumps, and stops during suspension.
    case monotonic
    /// Time since boot; never jumps, and includes suspension.
    case boottime

    var id: clockid_t {
        switch self {
        case .realtime: CLOCK_REALTIME
        case .monotonic: CLOCK_MONOTONIC
        case .boottime: CLOCK_BOOTTIME
        }
    }

    var nowMicroseconds: UInt64 {
        switch self {
        case .realtime: SystemClock.realtimeMicroseconds
        case .monotonic: SystemClock.monotonicMicroseconds
        case .boottime: SystemClock.boottimeMicroseconds
        }
    }
}

/// A timer that fires once each time it is armed; it ends with `cancel()` or with this object.
@DaemonActor
package final class TimerSource {
    private var source: EventSource?
    private let clock: TimerClock

    init(
        _ loop: EventLoop, clock: TimerClock, accuracyMicroseconds: UInt64, handler: Handler<Void>
    ) throws(SystemError) {
        self.clock = clock
        let source = try EventSource("sd_event_add_time", handler: handler) { source, userdata in
            // Zero would mean sd-event's default of 250 ms.
            sd_event_add_time(
                loop.event, source, clock.id, 0, max(1, accuracyMicroseconds),
                { _, _, userdata in
                    let handler = HarkSystem.handler(userdata, of: Void.self)
                    DaemonActor.assumeIsolated { handler.call(()) }
                    return 0
                }, userdata)
        }
        self.source = source
        disarm()
    }

    /// Fires once when the clock reads `time` or later, at once if it does already; replaces an earlier arming.
    package func arm(atMicroseconds time: UInt64) {
        guard let source else { return }
        // These fail only for lack of memory or on a wrong thread, which cannot be handled here.
        let set = sd_event_source_set_time(source.pointer, time)
        let enabled = sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_ONESHOT))
        precondition(set >= 0 && enabled >= 0, "arming a timer: \(SystemError.text(of: -min(set, enabled)))")
    }

    /// Fires once when `delay` has passed from now; replaces an earlier arming.
    package func arm(afterMicroseconds delay: UInt64) {
        let (time, overflow) = clock.nowMicroseconds.addingReportingOverflow(delay)
        arm(atMicroseconds: overflow ? .max : time)
    }

    /// Cancels the arming.
    package func disarm() {
        guard let source else { return }
        sd_event_source_set_enabled(source.pointer, Int32(SD_EVENT_OFF))
    }

    /// Ends the timer; later calls of any method have no effect. Safe within the handler itself.
    package func cancel() {
        source = nil
    }
}

extension EventLoop {
    /// Creates a timer, not armed; it may fire late by up to the accuracy, so that wake-ups can be shared.
    package func timer(
        clock: TimerClock, accuracyMicroseconds: UInt64 = 1000, _ handler: @escaping @DaemonActor () -> Void
    ) throws(SystemError) -> TimerSource {
        try TimerSource(self, clock: clock, accuracyMicroseconds: accuracyMicroseconds, handler: Handler { handler() })
    }
}
