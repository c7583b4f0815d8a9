import Glibc

/// Days as people here count them.
package enum LocalDay {
    /// The day of the machine's time zone, counted from 1970-01-01.
    ///
    /// The zone's settings are looked at each time: a daemon outlives journeys.
    package static func number(atMilliseconds milliseconds: Int64) -> Int64 {
        tzset()
        var seconds = time_t(floored(milliseconds, by: 1_000))
        var local = tm()
        // Fails only for years that fit no integer.
        guard localtime_r(&seconds, &local) != nil else { return floored(Int64(seconds), by: 86_400) }
        return floored(Int64(seconds) + Int64(local.tm_gmtoff), by: 86_400)
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
