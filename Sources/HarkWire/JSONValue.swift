/// Any JSON value, held in memory.
///
/// Integers and other numbers are kept apart: `1` is an `int`, `1.0` and `1e0` are a `double`, and each is written back
/// as what it was. The daemon's hot path never makes one; it is for configuration, stored documents and clients.
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
    /// Texts are compared byte for byte, as the store does it.
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

    /// The number, whether it was written as an integer or not.
    package var doubleValue: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }

    /// The number if it is whole and fits, however it was written.
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

    /// The member of an object; nil if there is none or this is no object.
    package subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The element of an array; nil if it is out of bounds or this is no array.
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
