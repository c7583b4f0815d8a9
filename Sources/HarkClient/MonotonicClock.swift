import Glibc

/// Seconds on a clock that is never set back.
package enum MonotonicClock {
    package static var now: Double {
        var spec = timespec()
        clock_gettime(CLOCK_MONOTONIC, &spec)
        return Double(spec.tv_sec) + Double(spec.tv_nsec) / 1e9
    }

    /// The milliseconds until a time, at most a day, as poll takes them; -1 for no time.
    package static func milliseconds(until time: Double?) -> CInt {
        time.map { CInt(min(max(($0 - now) * 1_000, 0), 86_400_000).rounded(.up)) } ?? -1
    }
}
