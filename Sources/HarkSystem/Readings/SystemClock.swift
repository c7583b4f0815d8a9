import Glibc

/// Readings of the machine's clocks.
package enum SystemClock {
    /// Milliseconds since 1970, UTC; jumps when somebody sets the clock.
    package static var realtimeMilliseconds: Int64 { nanoseconds(CLOCK_REALTIME) / 1_000_000 }
    /// Microseconds since 1970, UTC.
    package static var realtimeMicroseconds: UInt64 { UInt64(nanoseconds(CLOCK_REALTIME) / 1000) }
    /// Microseconds since some start; never jumps, stands still while the machine is suspended.
    package static var monotonicMicroseconds: UInt64 { UInt64(nanoseconds(CLOCK_MONOTONIC) / 1000) }
    /// Microseconds since the machine was started; goes on while it is suspended.
    package static var boottimeMicroseconds: UInt64 { UInt64(nanoseconds(CLOCK_BOOTTIME) / 1000) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Fails only for a clock the kernel does not have, and these it has.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
