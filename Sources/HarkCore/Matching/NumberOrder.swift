internal import HarkWire

/// The order of two numbers.
enum NumberOrder {
    case less, equal, greater

    init<Number: Comparable>(_ left: Number, _ right: Number) {
        self = left < right ? .less : left == right ? .equal : .greater
    }

    /// Compares exactly, without a lossy conversion: 2^53 + 1 is not 2^53.
    init(_ integer: Int64, _ double: Double) {
        if double >= 0x1p63 {
            self = .less
        } else if double < -0x1p63 {
            self = .greater
        } else {
            let whole = double.rounded(.towardZero)
            let order = NumberOrder(integer, Int64(whole))
            self = order == .equal ? NumberOrder(whole, double) : order
        }
    }

    var reversed: NumberOrder {
        switch self {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}

extension JSONValue {
    /// The order of two numbers; nil if either value is not a number.
    func order(to other: JSONValue) -> NumberOrder? {
        switch (self, other) {
        case (.int(let left), .int(let right)): NumberOrder(left, right)
        case (.double(let left), .double(let right)): left.isNaN || right.isNaN ? nil : NumberOrder(left, right)
        case (.int(let left), .double(let right)): right.isNaN ? nil : NumberOrder(left, right)
        case (.double(let left), .int(let right)): left.isNaN ? nil : NumberOrder(right, left).reversed
        default: nil
        }
    }
}

extension JSONValue {
    /// A property as a JSON value, for matchers and documents.
    package init(_ property: PropertyValue) {
        self =
            switch property {
            case .string(let text): .string(text)
            case .integer(let number): .int(number)
            case .double(let number): .double(number)
            case .bool(let flag): .bool(flag)
            }
    }
}
