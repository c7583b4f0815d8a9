/// A decimal number of at most six digits behind the point, kept without rounding.
///
/// A whole number is at most 10^12 in magnitude, another one at most 10^9: so each has at most 15 digits, and its JSON
/// text is the same after a way through a `Double`.
package struct ExactNumber: Sendable, Hashable, Comparable {
    /// In millionths.
    private let units: Int64

    private static let one: Int64 = 1_000_000
    private static let mostWhole: Int64 = 1_000_000_000_000
    private static let mostUnits: Int64 = 1_000_000_000_000_000
    /// The most digits behind the point.
    package static let digits = 6

    private init(units: Int64) { self.units = units }

    /// Nil for a number that is too large.
    package init?(_ whole: Int64) {
        guard (-Self.mostWhole...Self.mostWhole).contains(whole) else { return nil }
        self.init(units: whole * Self.one)
    }

    /// Nil for a number that is too large, or has more digits behind the point.
    package init?(_ number: Double) {
        if let whole = Int64(exactly: number) {
            self.init(whole)
            return
        }
        let scaled = (number * Double(Self.one)).rounded()
        guard scaled.magnitude < Double(Self.mostUnits), scaled / Double(Self.one) == number else { return nil }
        self.init(units: Int64(scaled))
    }

    /// Nil for a value that is no number, or not one of these.
    package init?(_ value: JSONValue) {
        switch value {
        case .int(let whole): self.init(whole)
        case .double(let number): self.init(number)
        default: return nil
        }
    }

    /// Reads a text such as `-12.5`: digits with at most one point, without an exponent, a plus sign or spaces.
    package init?(_ text: some StringProtocol) {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = parts.first, (1...13).contains(whole.count),
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { 0x30...0x39 ~= $0 } })
        else { return nil }
        // Zeros at the end add nothing.
        let fraction = (parts.count == 2 ? Array(parts[1]) : []).trimmingZeros
        guard fraction.count <= Self.digits else { return nil }
        var units: Int64 = 0
        for digit in whole { units = units * 10 + Int64(digit - 0x30) }
        guard units <= Self.mostWhole else { return nil }
        for place in 0..<Self.digits {
            units = units * 10 + (place < fraction.count ? Int64(fraction[place] - 0x30) : 0)
        }
        guard fraction.isEmpty ? units <= Self.mostWhole * Self.one : units < Self.mostUnits else { return nil }
        self.init(units: isNegative ? -units : units)
    }

    package static func < (left: ExactNumber, right: ExactNumber) -> Bool { left.units < right.units }

    package var isWhole: Bool { units % Self.one == 0 }
    /// The number, if it is whole.
    package var whole: Int64? { isWhole ? units / Self.one : nil }
    package var double: Double { Double(units) / Double(Self.one) }
    package var value: JSONValue { whole.map(JSONValue.int) ?? .double(double) }

    /// Whether it lies a whole number of steps above or below another one.
    ///
    /// - Parameter step: greater than 0.
    package func isStep(_ step: ExactNumber, from base: ExactNumber) -> Bool {
        step.units > 0 && (units - base.units) % step.units == 0
    }

    /// How many whole steps it lies above another one; 0 if it does not.
    package func steps(of step: ExactNumber, from base: ExactNumber) -> Int {
        step.units > 0 ? Int(max(0, (units - base.units) / step.units)) : 0
    }

    /// The number some steps further on, but not beyond a limit.
    package func adding(_ count: Int, of step: ExactNumber, upTo limit: ExactNumber) -> ExactNumber {
        let (product, isOver) = step.units.multipliedReportingOverflow(by: Int64(count))
        let (sum, isBeyond) = units.addingReportingOverflow(product)
        return isOver || isBeyond ? limit : ExactNumber(units: min(sum, limit.units))
    }

    /// The digits behind the point that it needs.
    package var places: Int {
        guard let point = description.firstIndex(of: ".") else { return 0 }
        return description[point...].utf8.count - 1
    }
}

extension ExactNumber: ExpressibleByIntegerLiteral {
    package init(integerLiteral whole: Int32) { self.init(units: Int64(whole) * Self.one) }
}

extension ExactNumber: CustomStringConvertible {
    /// Such as `-12.5`; without a point if it is whole.
    package var description: String {
        let magnitude = units.magnitude
        let sign = units < 0 ? "-" : ""
        let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: UInt64(Self.one))
        guard rest > 0 else { return "\(sign)\(whole)" }
        let digits = String(rest)
        let fraction = Array((String(repeating: "0", count: Self.digits - digits.utf8.count) + digits).utf8)
        return "\(sign)\(whole).\(String(decoding: fraction.trimmingZeros, as: UTF8.self))"
    }
}

extension [UInt8] {
    /// Without the zeros at the end.
    fileprivate var trimmingZeros: [UInt8] {
        var digits = self
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return digits
    }
}
