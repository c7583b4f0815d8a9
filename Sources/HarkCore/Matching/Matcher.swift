package import HarkWire

/// A condition on one value: an operator and an operand.
///
/// A missing value fails every operator but `notExists`. Text is compared byte for byte, and is case-sensitive.
/// Integers and other numbers compare exactly by value, beyond 2^53 too. A number never equals a text or a bool.
package struct Matcher: Sendable, Equatable {
    package enum Operator: String, Sendable, CaseIterable {
        case eq, ne, gt, gte, lt, lte, contains, notContains, exists, notExists
    }

    package let op: Operator
    /// The value to compare with; null for `exists` and `notExists`.
    package let operand: JSONValue

    package init(_ op: Operator, _ operand: JSONValue = .null) {
        self.op = op
        self.operand = operand
    }

    /// - Parameter value: nil when there is no value.
    package func matches(_ value: JSONValue?) -> Bool {
        guard let value else { return op == .notExists }
        return switch op {
        case .exists: true
        case .notExists: false
        case .eq: value.equals(operand)
        case .ne: !value.equals(operand)
        case .gt: value.order(to: operand) == .greater
        case .gte: value.order(to: operand).map { $0 != .less } ?? false
        case .lt: value.order(to: operand) == .less
        case .lte: value.order(to: operand).map { $0 != .greater } ?? false
        case .contains: value.holds(operand) ?? false
        // A number contains no text.
        case .notContains: value.holds(operand).map { !$0 } ?? true
        }
    }
}

extension Matcher {
    /// Whether the operator searches a text or a list.
    var searches: Bool { op == .contains || op == .notContains }

    /// The number of bytes of text searched in the time of one comparison.
    private static let bytesInAComparison = 32

    /// The cost of searching a value, in comparisons.
    func searching(_ value: JSONValue?) -> Int {
        switch (value, operand) {
        case (.string(let text), .string(let part)):
            (text.utf8.count + part.utf8.count) / Matcher.bytesInAComparison
        case (.array(let elements), _): elements.count
        default: 0
        }
    }
}

extension JSONValue {
    fileprivate func equals(_ other: JSONValue) -> Bool {
        if let order = order(to: other) { return order == .equal }
        if case .string(let text) = self, case .string(let other) = other { return text.hasSameBytes(as: other) }
        return self == other
    }

    /// Whether a text contains another, byte for byte, or a list an element; nil for any other value.
    fileprivate func holds(_ part: JSONValue) -> Bool? {
        switch (self, part) {
        case (.string(let text), .string(let part)): text.holds(part)
        case (.array(let elements), _): elements.contains { $0.equals(part) }
        default: nil
        }
    }
}

extension String {
    fileprivate func holds(_ part: String) -> Bool {
        var (text, part) = (self, part)
        return text.withUTF8 { text in part.withUTF8 { ByteSearch.first($0, in: text) != nil } }
    }
}
