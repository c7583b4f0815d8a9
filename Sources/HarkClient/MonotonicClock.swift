import Glibc

/// Seconds on a clock that is never set back.
package enum MonotonicClock {
    package static var now: Double {
        var spec = timespec()
        clock_gettime(CLOCK_MONOTONIC, &spec)
        return Double(spec.tv_sec) + Double(spec.tv_nsec) / 1e9
    }
}
