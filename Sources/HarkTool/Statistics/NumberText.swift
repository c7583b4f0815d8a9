import HarkAsking
import HarkClient

/// Formats numbers for tables and charts.
enum NumberText {
    /// `1,234`, `12.5`, `0.00123`, `1.2e+30`; `-` for none.
    static func make(_ number: JSONText?) -> String {
        guard let number, !number.isNull else { return "-" }
        if let integer = number.int { return Plural.grouped(integer) }
        return number.double.map(make) ?? "-"
    }

    static func make(_ number: Double?) -> String { number.map(make) ?? "-" }

    /// Formats with four significant digits, or all digits before the point.
    static func make(_ number: Double) -> String {
        let size = number.magnitude
        guard size.isFinite, number != 0 else { return number == 0 ? "0" : "-" }
        guard size < 1e15, size >= 1e-4 else { return short(number) }
        var places = 0
        var scale = 1.0
        while size * scale < 999.95, places < 7 {
            places += 1
            scale *= 10
        }
        let scaled = Int64((size * scale).rounded())
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        var digits = String(part)
        digits = String(repeating: "0", count: max(0, places - digits.count)) + digits
        while digits.last == "0" { digits.removeLast() }
        let sign = number < 0 && scaled != 0 ? "-" : ""
        return sign + Plural.grouped(whole) + (places == 0 || digits.isEmpty ? "" : "." + digits)
    }

    private static func short(_ number: Double) -> String {
        var exponent = 0
        var rest = number.magnitude
        while rest >= 9.995 { (rest, exponent) = (rest / 10, exponent + 1) }
        while rest < 0.9995 { (rest, exponent) = (rest * 10, exponent - 1) }
        return (number < 0 ? "-" : "") + make(rest) + "e\(exponent)"
    }
}
