/// A number in decimal digits, as a person reads it.
package struct DecimalDigits: Sendable, Equatable {
    package let isNegative: Bool
    package let whole: String
    /// Without zeros at its end, unless a number of decimals was asked for.
    package let fraction: String

    /// - Parameter decimals: how many decimals, from 0 to 6; nil: those that there are.
    /// - Returns: nil for what is no number, and for one of more digits than a double has.
    package init?(_ value: JSONValue, decimals: Int? = nil) {
        switch value {
        case .int(let number):
            isNegative = number < 0
            whole = String(number.magnitude)
            fraction = String(repeating: "0", count: decimals ?? 0)
        case .double(let number):
            let least = number.rounded() == number ? 0 : Self.mostDecimals
            guard let exact = Self.digits(number, decimals: decimals ?? least) else { return nil }
            isNegative = exact.isNegative
            whole = exact.whole
            fraction = decimals == nil ? Self.trimmed(exact.fraction) : exact.fraction
        case .null, .bool, .string, .array, .object: return nil
        }
    }

    package static let mostDecimals = 6

    private static func digits(
        _ number: Double, decimals: Int
    ) -> (isNegative: Bool, whole: String, fraction: String)? {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        guard number.magnitude < 1e15, let units = UInt64(exactly: (number.magnitude * scale).rounded()) else {
            return nil
        }
        let digits = String(units)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return (number < 0 && units > 0, String(padded.dropLast(decimals)), String(padded.suffix(decimals)))
    }

    private static func trimmed(_ fraction: String) -> String {
        String(fraction.reversed().drop { $0 == "0" }.reversed())
    }

    /// The whole number without its sign; nil if there are decimals.
    package var magnitude: UInt64? { fraction.allSatisfy { $0 == "0" } ? UInt64(whole) : nil }
}

extension LocaleForm {
    /// - Parameter isGrouped: whether thousands are parted.
    package func text(_ number: DecimalDigits, isGrouped: Bool = false) -> String {
        (number.isNegative ? "-" : "") + unsigned(number, isGrouped)
    }

    private func unsigned(_ number: DecimalDigits, _ isGrouped: Bool) -> String {
        var text = ""
        for (place, digit) in number.whole.enumerated() {
            if isGrouped, place > 0, (number.whole.count - place) % 3 == 0 { text.append(groupMark) }
            text.append(digit)
        }
        if !number.fraction.isEmpty { text += "\(decimalMark)\(number.fraction)" }
        return text
    }

    /// An amount of money with two decimals, or none for currencies that have none.
    ///
    /// - Parameter currency: as in ISO 4217, such as `EUR`.
    /// - Returns: nil for what is no number.
    package func money(_ value: JSONValue, _ currency: String) -> String? {
        let isWhole = Self.withoutDecimals.contains(currency)
        guard let number = DecimalDigits(value, decimals: isWhole ? 0 : 2) else { return nil }
        let sign = Self.currencySigns[currency] ?? currency
        let place = currencyPlace
        // Letters are not written into a number.
        let gap = place.isSpaced || sign.last?.isLetter == true ? "\u{A0}" : ""
        let amount = unsigned(number, true)
        return (number.isNegative ? "-" : "") + (place.isBefore ? sign + gap + amount : amount + "\u{A0}" + sign)
    }

    private static let withoutDecimals: Set<String> = ["CLP", "ISK", "JPY", "KRW", "VND"]
    private static let currencySigns = [
        "BRL": "R$", "CNY": "¥", "EUR": "€", "GBP": "£", "ILS": "₪", "INR": "₹", "JPY": "¥", "KRW": "₩", "PLN": "zł",
        "TRY": "₺", "UAH": "₴", "USD": "$",
    ]

    /// A day, such as `27.11.2026`.
    ///
    /// - Parameter time: the wall clock of the reader, as if it were that of UTC.
    package func date(_ time: Timestamp) -> String {
        let parts = time.description.prefix(10).split(separator: "-")
        guard parts.count == 3 else { return "" }
        let (year, month, day) = (parts[0], parts[1], parts[2])
        return switch dateOrder {
        case .yearFirst(let mark): "\(year)\(mark)\(month)\(mark)\(day)"
        case .monthFirst: "\(month.bare)/\(day.bare)/\(year)"
        case .dayFirst(let mark): "\(day)\(mark)\(month)\(mark)\(year)"
        }
    }

    /// A time of day, such as `14:05`.
    ///
    /// - Parameter time: the wall clock of the reader, as if it were that of UTC.
    package func time(_ time: Timestamp) -> String {
        let text = time.description
        let clock = text.dropFirst(11).prefix(5)
        guard hasTwelveHours, let hour = Int(clock.prefix(2)) else { return String(clock) }
        return "\(hour % 12 == 0 ? 12 : hour % 12)\(clock.suffix(3)) \(hour < 12 ? "AM" : "PM")"
    }
}

extension Substring {
    /// Without a zero at its beginning.
    fileprivate var bare: Substring { first == "0" ? dropFirst() : self }
}
