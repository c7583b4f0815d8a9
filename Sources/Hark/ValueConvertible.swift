/// A type that can be used as a `Value`: Swift's own strings, numbers and bools, arrays and dictionaries of them, and
/// types of yours.
///
/// ```swift
/// let count = 3
/// let name = "Home"
/// EventRecorder.shared.record("shown", properties: ["count": count, "screen": name, "first": count == 1])
/// ```
public protocol ValueConvertible: Sendable {
    /// The JSON value.
    var harkValue: Value { get }
}

extension Value: ValueConvertible {
    /// The value itself.
    public var harkValue: Value { self }

    /// Converts a value.
    public init(_ value: some ValueConvertible) { self = value.harkValue }
}

extension String: ValueConvertible {
    /// The text.
    public var harkValue: Value { .string(self) }
}

extension Substring: ValueConvertible {
    /// The text.
    public var harkValue: Value { .string(String(self)) }
}

extension Bool: ValueConvertible {
    /// True or false.
    public var harkValue: Value { .bool(self) }
}

extension Double: ValueConvertible {
    /// The number.
    public var harkValue: Value { .double(self) }
}

extension Float: ValueConvertible {
    /// The shortest decimal: 0.1 stays 0.1 and does not become 0.10000000149.
    public var harkValue: Value { .double(Double("\(self)") ?? Double(self)) }
}

extension ValueConvertible where Self: BinaryInteger {
    /// The number; if it does not fit into a signed 64-bit integer, the nearest double.
    public var harkValue: Value { Int64(exactly: self).map(Value.integer) ?? .double(Double(self)) }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}

extension Array: ValueConvertible where Element: ValueConvertible {
    /// The elements in order.
    public var harkValue: Value { .array(map(\.harkValue)) }
}

extension Dictionary: ValueConvertible where Key == String, Value: ValueConvertible {
    /// The members by name.
    public var harkValue: Hark.Value { .object(mapValues(\.harkValue)) }
}

extension [String: any ValueConvertible] {
    /// The members as `Value`s.
    var harkValues: [String: Hark.Value] { mapValues(\.harkValue) }
}
