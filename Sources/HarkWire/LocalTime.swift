package import Glibc

/// Times in the local time zone, without zone names.
package enum LocalTime {
    /// `2026-11-21 12:08:00.123`
    package static func text(_ time: Timestamp) -> String {
        let fields = fields(time)
        let millisecond = Int(((time.milliseconds % 1000) + 1000) % 1000)
        return day(fields) + " " + clock(fields) + "." + padded(millisecond, 3)
    }

    /// `2026-11-21 12:08:00`
    package static func secondText(_ time: Timestamp) -> String {
        let fields = fields(time)
        return day(fields) + " " + clock(fields)
    }

    /// Returns the offset from UTC at a time: `UTC+01:00`.
    package static func zone(_ time: Timestamp) -> String { "UTC" + offset(time) }

    /// Returns local time for other programs: `2026-11-21T12:08:00.123+01:00`, or with `Z` if the offset is zero.
    package static func iso(_ time: Timestamp) -> String {
        let offset = offset(time)
        return text(time).replacing(" ", with: "T") + (offset.isEmpty ? "Z" : offset)
    }

    private static func offset(_ time: Timestamp) -> String {
        let minutes = fields(time).tm_gmtoff / 60
        guard minutes != 0 else { return "" }
        let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
        return (minutes < 0 ? "-" : "+") + padded(Int(hours), 2) + ":" + padded(Int(rest), 2)
    }

    /// Formats an ISO time of the daemon for people; a text that is not a time is returned as it is.
    package static func text(iso: String) -> String {
        Timestamp(iso).map { text($0) } ?? VisibleText.make(iso)
    }

    /// Returns the time at which local clocks show these fields. A time skipped by a clock change is an hour later; for
    /// a repeated time, the C library chooses.
    ///
    /// - Parameter zone: The name of the zone, in summer or in winter; if the local zone has another name then, the
    ///   result is nil.
    package static func moment(
        year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, zone: String? = nil
    ) -> Timestamp? {
        if let zone {
            return [0, 1].lazy.compactMap { isSummer in
                seconds(year, month, day, hour, minute, second, isSummer: isSummer, zone: zone)
            }.first
        }
        return seconds(year, month, day, hour, minute, second, isSummer: -1, zone: nil)
    }

    private static func seconds(
        _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, isSummer: CInt, zone: String?
    ) -> Timestamp? {
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60 else { return nil }
        var fields = tm()
        fields.tm_year = CInt(year - 1900)
        fields.tm_mon = CInt(month - 1)
        fields.tm_mday = CInt(day)
        fields.tm_hour = CInt(hour)
        fields.tm_min = CInt(minute)
        fields.tm_sec = CInt(second)
        fields.tm_isdst = isSummer
        let seconds = mktime(&fields)
        // mktime would turn 30 February into 1 March, which is never what a person meant.
        guard fields.tm_mday == CInt(day), fields.tm_mon == CInt(month - 1) else { return nil }
        if let zone, fields.tm_hour != CInt(hour) || fields.tm_zone.map({ String(cString: $0) }) != zone { return nil }
        return Timestamp(milliseconds: Int64(seconds) * 1000)
    }

    /// Returns midnight of the day that is `days` after that of a time.
    package static func midnight(daysFrom time: Timestamp, _ days: Int) -> Timestamp {
        var fields = fields(time)
        fields.tm_mday += CInt(days)
        fields.tm_hour = 0
        fields.tm_min = 0
        fields.tm_sec = 0
        fields.tm_isdst = -1
        return Timestamp(milliseconds: Int64(mktime(&fields)) * 1000)
    }

    package static func fields(_ time: Timestamp) -> tm {
        var seconds = Int(time.milliseconds / 1000)
        if time.milliseconds % 1000 < 0 { seconds -= 1 }
        var fields = tm()
        localtime_r(&seconds, &fields)
        return fields
    }

    package static var now: Timestamp {
        var spec = timespec()
        clock_gettime(CLOCK_REALTIME, &spec)
        return Timestamp(milliseconds: Int64(spec.tv_sec) * 1000 + Int64(spec.tv_nsec) / 1_000_000)
    }

    private static func day(_ fields: tm) -> String {
        padded(Int(fields.tm_year) + 1900, 4) + "-" + padded(Int(fields.tm_mon) + 1, 2) + "-"
            + padded(Int(fields.tm_mday), 2)
    }

    private static func clock(_ fields: tm) -> String {
        padded(Int(fields.tm_hour), 2) + ":" + padded(Int(fields.tm_min), 2) + ":" + padded(Int(fields.tm_sec), 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
