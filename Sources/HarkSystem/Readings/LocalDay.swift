import Glibc

/// Days by the local time zone.
package enum LocalDay {
    /// The number of the local day, counted from 1970-01-01.
    ///
    /// The time zone is read each time, because it may change while the daemon runs.
    package static func number(atMilliseconds milliseconds: Int64) -> Int64 {
        let (local, overflow) = milliseconds.addingReportingOverflow(offset(atMilliseconds: milliseconds))
        return floored(overflow ? milliseconds : local, by: 86_400_000)
    }

    /// How far local time is ahead of UTC, in milliseconds.
    package static func offset(atMilliseconds milliseconds: Int64) -> Int64 {
        tzset()
        var seconds = time_t(floored(milliseconds, by: 1_000))
        var local = tm()
        // Fails only if the year exceeds an integer.
        guard localtime_r(&seconds, &local) != nil else { return 0 }
        return Int64(local.tm_gmtoff) * 1_000
    }

    /// The name of the machine's time zone in tzdata, such as Europe/Berlin; nil if it has no name.
    package static var zoneName: String? {
        if let set = getenv("TZ") {
            let name = String(cString: set).drop { $0 == ":" }
            return name.isEmpty ? "UTC" : name.contains("/") && !name.hasPrefix("/") ? String(name) : nil
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/etc/localtime", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let marker = "/zoneinfo/"
        var place = path.utf8.startIndex
        while place < path.utf8.endIndex {
            if path[place...].hasPrefix(marker) { return String(path[place...].dropFirst(marker.count)) }
            place = path.utf8.index(after: place)
        }
        return nil
    }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
