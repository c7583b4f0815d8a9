internal import HarkClient
internal import HarkWire

/// A JSON value, for properties, metadata, flags and counters.
///
/// Literals make values: `["amount": 59.5, "items": 3, "gift": true]`. Properties of events and metadata of sessions
/// and log entries may only be strings, integers, doubles and bools; the daemon reports others. Nulls in them are left
/// out.
public enum Value: Sendable, Hashable {
    /// Null; `nil` makes one.
    case null
    /// True or false.
    case bool(Bool)
    /// A 64-bit integer, written as `3`. `3.0` arrives as a double, and `integer` accepts it.
    case integer(Int64)
    /// A number. Infinities and NaN become null in requests, as JSON has none.
    case double(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([Value])
    /// Values by name.
    case object([String: Value])
}

extension Value {
    /// The string; nil for another type.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The bool; nil for another type.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number if it is whole in any spelling: 3 and 3.0 are, 2.5 is not. Nil for another type, and if it does not
    /// fit into an `Int`.
    public var integer: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }
    /// The number, with integers promoted; nil for another type.
    public var double: Double? {
        switch self {
        case .double(let value): value
        case .integer(let value): Double(value)
        default: nil
        }
    }
    /// The elements; nil for another type.
    public var array: [Value]? { if case .array(let value) = self { value } else { nil } }
    /// The members; nil for another type.
    public var object: [String: Value]? { if case .object(let value) = self { value } else { nil } }

    /// The member of an object; nil if there is none, or this is not an object.
    public subscript(key: String) -> Value? { object?[key] }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// `"Home"`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// `3`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// `59.5`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// `true`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `[1, "two"]`.
    public init(arrayLiteral elements: Value...) { self = .array(elements) }
    /// `["items": 3]`; if a name repeats, the last value counts.
    public init(dictionaryLiteral elements: (String, Value)...) {
        self = .object(Dictionary(elements) { $1 })
    }
    /// `nil`, which is `.null`.
    public init(nilLiteral: ()) { self = .null }
}

extension AnyJSON {
    init(_ value: Value) { self.init(writing: { value.write(to: &$0) }) }
}

extension Value: CustomStringConvertible {
    /// The value as one line of JSON, members sorted by key.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Value {
    init(_ json: JSONText) {
        if json.isObject {
            var members: [String: Value] = [:]
            json.forEachMember { key, value in
                // The key is raw JSON, so it is unescaped here.
                let quoted = JSONText(ArraySlice([UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]))
                members[quoted.string ?? ""] = Value(value)
                return true
            }
            self = .object(members)
        } else if json.isArray {
            self = .array(json.elements.map { Value($0) })
        } else if let text = json.string {
            self = .string(text)
        } else if let flag = json.bool {
            self = .bool(flag)
        } else if let number = json.int {
            self = .integer(number)
        } else if let number = json.double {
            self = .double(number)
        } else {
            self = .null
        }
    }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .integer(let value): writer.int(value)
        // JSON has no infinities and no NaN.
        case .double(let value): if value.isFinite { writer.double(value) } else { writer.null() }
        case .string(let value): writer.string(value)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(to: &writer) }
            writer.endArray()
        case .object(let members): Value.write(members, to: &writer)
        }
    }

    static func write(_ members: [String: Value], to writer: inout JSONWriter) {
        writer.beginObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            value.write(to: &writer)
        }
        writer.endObject()
    }
}

extension AnyJSON {
    init(_ members: [String: Value]) { self.init(writing: { Value.object(members).write(to: &$0) }) }
}
