import Glibc

/// Readings of the machine's clocks.
package enum SystemClock {
    /// Milliseconds since 1970, UTC; jumps when the clock is set.
    package static var realtimeMilliseconds: Int64 { count(of: CLOCK_REALTIME, perSecond: 1_000) }
    /// Microseconds since 1970, UTC; 0 before.
    package static var realtimeMicroseconds: UInt64 { microseconds(CLOCK_REALTIME) }
    /// Microseconds since some start; never jumps, and stops during suspension.
    package static var monotonicMicroseconds: UInt64 { microseconds(CLOCK_MONOTONIC) }
    /// Microseconds since boot; includes suspension.
    package static var boottimeMicroseconds: UInt64 { microseconds(CLOCK_BOOTTIME) }

    private static func microseconds(_ clock: clockid_t) -> UInt64 {
        UInt64(max(0, count(of: clock, perSecond: 1_000_000)))
    }

    private static func count(of clock: clockid_t, perSecond parts: Int64) -> Int64 {
        var time = timespec()
        // Fails only for an unknown clock, and these exist.
        clock_gettime(clock, &time)
        return count(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec), perSecond: parts)
    }

    /// A time in parts of a second, clamped if it overflows, as after setting the clock wrongly.
    package static func count(seconds: Int64, nanoseconds: Int64, perSecond parts: Int64) -> Int64 {
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: parts)
        let (sum, isBeyond) = whole.addingReportingOverflow(nanoseconds / (1_000_000_000 / parts))
        if isTooMuch || isBeyond { return seconds < 0 ? .min : .max }
        return sum
    }
}
