/// Durations, sizes and rates for people.
enum DurationText {
    /// `0.8 s`, `42 s`, `3 min 5 s`, `2 h 10 min`, `12 d 3 h`
    static func make(_ seconds: Double) -> String {
        let whole = Int(seconds)
        switch seconds {
        case ..<10: return decimal(max(seconds, 0)) + " s"
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min" + (whole % 60 == 0 ? "" : " \(whole % 60) s")
        case ..<86_400: return "\(whole / 3600) h" + (whole / 60 % 60 == 0 ? "" : " \(whole / 60 % 60) min")
        default: return "\(whole / 86_400) d" + (whole / 3600 % 24 == 0 ? "" : " \(whole / 3600 % 24) h")
        }
    }

    /// `812 B`, `4.2 kB`, `17.3 MB`, `2.0 GB`
    static func bytes(_ count: Int64) -> String {
        var value = Double(count)
        guard value >= 1000 else { return "\(count) B" }
        for unit in ["kB", "MB", "GB"] {
            value /= 1000
            if value < 999.95 { return decimal(value) + " " + unit }
        }
        return decimal(value / 1000) + " TB"
    }

    /// Formats with one decimal.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
