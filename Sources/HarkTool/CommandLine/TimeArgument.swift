import HarkWire

/// A time on a command line: every form that `TimeReader` reads, and in queries also days by name.
enum TimeArgument {
    static let absoluteForms = "10m, 2h, 3d, 2026-11-21, '2026-11-21 14:30', 2026-11-21T14:30:00Z or @1700000000"
    static let forms = "today, yesterday, \(absoluteForms)"

    /// Reads the time of an event, in the forms that `"timestamp"` takes in JSON.
    static func happened(_ text: String, option: String) throws(ToolError) -> Timestamp {
        try read(text, option: option, now: LocalTime.now, forms: absoluteForms)
    }

    /// Reads a time for a query: also `now`, and `today` and `yesterday` for their midnights.
    static func parse(_ text: String, option: String, now: Timestamp) throws(ToolError) -> Timestamp {
        switch text {
        case "now": now
        case "today": LocalTime.midnight(daysFrom: now, 0)
        case "yesterday": LocalTime.midnight(daysFrom: now, -1)
        default: try read(text, option: option, now: now, forms: forms)
        }
    }

    private static func read(
        _ text: String, option: String, now: Timestamp, forms: String
    ) throws(ToolError) -> Timestamp {
        do throws(TimeReader.Fault) {
            return try TimeReader.read(text, now: now)
        } catch {
            throw .usage("'--\(option) \(text)' is no time: \(error.words)", hint: "Write it like \(forms).")
        }
    }

    /// Reads `--since` and `--until`.
    static func range(_ arguments: Arguments) throws(ToolError) -> (since: Timestamp?, until: Timestamp?) {
        let now = LocalTime.now
        var times: [Timestamp?] = []
        for option in [Option.since, .until] {
            times.append(
                try arguments[option].map { text throws(ToolError) in try parse(text, option: option.name, now: now) })
        }
        if let since = times[0], let until = times[1], until < since {
            throw ToolError.usage("'--until' is before '--since'")
        }
        return (times[0], times[1])
    }
}
