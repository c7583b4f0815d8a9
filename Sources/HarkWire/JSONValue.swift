/// Any JSON value in memory.
///
/// Integers and other numbers are distinct: `1` is an `int`, `1.0` and `1e0` are a `double`, and each is written back
/// in its kind. The daemon's hot path never creates values; they are for settings, stored documents and clients.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// Compares strings byte for byte, like the store.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let mine), .bool(let other)): mine == other
        case (.int(let mine), .int(let other)): mine == other
        case (.double(let mine), .double(let other)): mine == other
        case (.string(let mine), .string(let other)): mine.utf8.elementsEqual(other.utf8)
        case (.array(let mine), .array(let other)): mine == other
        case (.object(let mine), .object(let other)): mine == other
        default: false
        }
    }
}

extension JSONValue {
    package var isNull: Bool { self == .null }

    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var intValue: Int64? {
        if case .int(let value) = self { value } else { nil }
    }

    /// The number, in either kind.
    package var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }

    /// The number as an integer, if it is whole and fits, in either kind.
    package var exactInteger: Int64? {
        switch self {
        case .int(let number): number
        case .double(let number): Int64(exactly: number)
        default: nil
        }
    }

    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of an object; nil if there is none or this is not an object.
    package subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The element of an array; nil if the index is out of bounds or this is not an array.
    package subscript(index: Int) -> JSONValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as one line of JSON.
    package var description: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
