extension CivilDate: Comparable, CustomStringConvertible {
    /// Reads `2026-11-26` (ISO 8601, years 0001 to 9999).
    ///
    /// - Returns: nil for anything else, and if there is no such day.
    package init?(_ text: some StringProtocol) {
        guard let date = Self.numbers(text), date.year > 0, date.exists else { return nil }
        self = date
    }

    /// The numbers of a text such as `2026-02-30`, whether there is such a day or not.
    private static func numbers(_ text: some StringProtocol) -> CivilDate? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }),
            let year = Int64(parts[0]), let month = Int64(parts[1]), let day = Int64(parts[2])
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// The month of a text such as `2026-02-30`, and how many days it has; nil if that is not what is wrong with it.
    package static func shortMonth(of text: some StringProtocol) -> (month: String, days: Int64)? {
        guard let date = numbers(text), let days = days(inMonth: date.month, of: date.year), date.day > days else {
            return nil
        }
        return (date.monthText, days)
    }

    package var description: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))" }

    /// The month, such as `2026-02`.
    package var monthText: String { "\(Self.padded(year, 4))-\(Self.padded(month, 2))" }

    /// How many days a month has; nil if there is no such month.
    package static func days(inMonth month: Int64, of year: Int64) -> Int64? {
        guard (1...12).contains(month), (1...9999).contains(year) else { return nil }
        let next =
            month == 12 ? CivilDate(year: year + 1, month: 1, day: 1) : CivilDate(year: year, month: month + 1, day: 1)
        return next.daysSince1970 - CivilDate(year: year, month: month, day: 1).daysSince1970
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
