package import HarkWire

/// The sum, the least and the greatest of some numbers.
///
/// Integers are added exactly, other numbers with compensation for rounding (Neumaier), so that the order does not
/// matter.
package struct NumberSummary: Sendable {
    package private(set) var count = 0
    private var integers: Int128 = 0
    private var hasOthers = false
    private var others = 0.0
    private var lost = 0.0
    package private(set) var least = JSONValue.null
    package private(set) var most = JSONValue.null

    package init() {}

    package mutating func add(_ number: Int64) {
        integers += Int128(number)
        take(.int(number))
    }

    package mutating func add(_ number: Double) {
        hasOthers = true
        let sum = others + number
        lost += others.magnitude >= number.magnitude ? (others - sum) + number : (number - sum) + others
        others = sum
        take(.double(number))
    }

    private mutating func take(_ number: JSONValue) {
        count += 1
        if count == 1 {
            (least, most) = (number, number)
        } else {
            if number.order(to: least) == .less { least = number }
            if number.order(to: most) == .greater { most = number }
        }
    }

    /// An integer if all numbers are integers and it fits; 0 without numbers.
    package var sum: JSONValue {
        if !hasOthers, let sum = Int64(exactly: integers) { return .int(sum) }
        return .double(total)
    }

    /// Nil without numbers.
    package var mean: Double? { count == 0 ? nil : total / Double(count) }

    private var total: Double {
        // An infinite sum needs no compensation.
        let rest = others.isFinite ? others + lost : others
        return Double(integers) + rest
    }
}
