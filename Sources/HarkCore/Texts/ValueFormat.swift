package import HarkWire

/// How a value is written into a text.
package enum ValueFormat: Sendable, Equatable {
    /// Texts as they are, numbers with the language's decimal mark.
    case plain
    /// With separated thousands.
    case number(decimals: Int?)
    /// In a currency of ISO 4217.
    case money(String)
    /// For a time such as `2026-11-27T14:05:00Z`; a date may be alone.
    case date, time
    /// Words by the plural category of the number; those for `other` are always there.
    case plural([PluralCategory: String])

    /// - Throws: a clause about the format.
    package init(_ text: String) throws(ValueFault) {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        switch (words.first, words.count) {
        case ("number", 1): self = .number(decimals: nil)
        case ("number", 2):
            guard let decimals = Int(words[1]), (0...DecimalDigits.mostDecimals).contains(decimals) else {
                throw ValueFault("has '\(text)'; 'number' takes 0 to \(DecimalDigits.mostDecimals) decimals")
            }
            self = .number(decimals: decimals)
        case ("money", 2):
            guard words[1].utf8.count == 3, words[1].utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
                throw ValueFault("has '\(text)'; a currency is three capital letters, such as EUR")
            }
            self = .money(words[1])
        case ("date", 1): self = .date
        case ("time", 1): self = .time
        case ("plural", 2...): self = .plural(try Self.plurals(text.dropFirst("plural".count), text))
        default:
            throw ValueFault(
                "has the format '\(text.prefix(60))'; formats are number, number DECIMALS, money CURRENCY, date, time and "
                    + "plural one=\"…\" other=\"…\"")
        }
    }

    /// Reads `one="file" other="files"`.
    private static func plurals(
        _ text: Substring, _ format: String
    ) throws(ValueFault) -> [PluralCategory: String] {
        var plurals: [PluralCategory: String] = [:]
        var rest = text.drop { $0.isWhitespace }
        while !rest.isEmpty {
            let word = rest.prefix { $0 != "=" && !$0.isWhitespace }
            let tail = rest[word.endIndex...]
            guard let category = PluralCategory(rawValue: String(word)), tail.hasPrefix("=\""),
                let end = tail.dropFirst(2).firstIndex(of: "\"")
            else {
                let names = PluralCategory.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValueFault("has '\(format.prefix(60))'; write one=\"…\" other=\"…\", with \(names)")
            }
            plurals[category] = String(tail.dropFirst(2)[..<end])
            rest = tail[tail.index(after: end)...].drop { $0.isWhitespace }
        }
        guard plurals[.other] != nil else {
            throw ValueFault("has '\(format.prefix(60))'; plurals need the words for 'other'")
        }
        return plurals
    }

    /// The value as text.
    ///
    /// - Parameter offsetMinutes: how far the reader's clock is ahead of UTC.
    /// - Returns: nil for a value that the format cannot take.
    func text(_ value: JSONValue, _ form: LocaleForm, offsetMinutes: Int64) -> String? {
        switch self {
        case .plain:
            switch value {
            case .string(let text): text
            case .bool(let flag): String(flag)
            case .int, .double: DecimalDigits(value).map { form.text($0) } ?? value.description
            case .null, .array, .object: nil
            }
        case .number(let decimals): DecimalDigits(value, decimals: decimals).map { form.text($0, isGrouped: true) }
        case .money(let currency): form.money(value, currency)
        case .date: Self.moment(value, offsetMinutes).map { form.date($0.time) }
        case .time: Self.moment(value, offsetMinutes).flatMap { $0.isDay ? nil : form.time($0.time) }
        case .plural(let words):
            DecimalDigits(value).flatMap { words[form.plural($0.magnitude)] ?? words[.other] }
        }
    }

    /// A moment by the reader's clock, and whether it is only a day.
    private static func moment(_ value: JSONValue, _ offsetMinutes: Int64) -> (time: Timestamp, isDay: Bool)? {
        guard let text = value.stringValue, text.utf8.count <= 40 else { return nil }
        if let day = Timestamp(text + "T00:00:00Z") { return (day, true) }
        return Timestamp(text).map { ($0.adding(milliseconds: offsetMinutes &* 60_000), false) }
    }
}
