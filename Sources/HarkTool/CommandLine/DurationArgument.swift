/// A duration on a command line: `90s`, `10m`, `1h`, `2d`, `1w`, or a number of seconds.
enum DurationArgument {
    static let forms = "90s, 10m, 1h, 2d or 1w"

    /// Returns the duration in seconds.
    static func parse(_ text: String, name: String) throws(ToolError) -> Int64 {
        guard let seconds = seconds(text) else {
            throw .usage("'\(text)' is no span of time for \(name)", hint: "Write it like \(forms).")
        }
        return seconds
    }

    private static func seconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit: Int64
        switch text.dropFirst(digits.count) {
        case "", "s": unit = 1
        case "m": unit = 60
        case "h": unit = 3600
        case "d": unit = 86_400
        case "w": unit = 604_800
        default: return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : seconds
    }
}
