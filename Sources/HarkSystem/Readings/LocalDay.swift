import Glibc

/// Days as people here count them.
package enum LocalDay {
    /// The day of the machine's time zone, counted from 1970-01-01.
    ///
    /// The zone's settings are looked at each time: a daemon outlives journeys.
    package static func number(atMilliseconds milliseconds: Int64) -> Int64 {
        let (local, overflow) = milliseconds.addingReportingOverflow(offset(atMilliseconds: milliseconds))
        return floored(overflow ? milliseconds : local, by: 86_400_000)
    }

    /// By how much the machine's clock on the wall is ahead of UTC, in milliseconds.
    package static func offset(atMilliseconds milliseconds: Int64) -> Int64 {
        tzset()
        var seconds = time_t(floored(milliseconds, by: 1_000))
        var local = tm()
        // Fails only for years that fit no integer.
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int64(local.tm_gmtoff) * 1_000
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
