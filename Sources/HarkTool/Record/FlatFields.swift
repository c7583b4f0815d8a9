import HarkClient
import HarkWire

/// The values within an object, however deep they lie, under names with dots: `{"a":{"b":1},"c":[2]}` has `a.b` and `c.0`.
///
/// Nulls, empty objects and empty lists are left out. The journal tells a value that is no plain text as a list of its bytes: under
/// a name of the journal's kind (`MESSAGE`) such a list is a text.
struct FlatFields {
    private(set) var fields: [FieldEvent.Field] = []

    /// - Parameter object: one whose brackets match (`JSONText.isOneObject`), which bounds how deep it is.
    init(_ object: JSONText) {
        object.forEachMember { key, value in
            if value.isArray, Self.isJournalName(key), let text = Self.text(ofBytes: value) {
                fields.append((Array(key), FieldEvent.string(text)))
            } else {
                add(value, Array(key))
            }
            return true
        }
    }

    private mutating func add(_ value: JSONText, _ path: [UInt8]) {
        if value.isObject {
            value.forEachMember { key, value in
                add(value, path + [UInt8(ascii: ".")] + key)
                return true
            }
        } else if value.isArray {
            for (index, element) in value.elements.enumerated() { add(element, path + Array(".\(index)".utf8)) }
        } else if !value.isNull {
            fields.append((path, Array(value.bytes)))
        }
    }

    private static func isJournalName(_ key: ArraySlice<UInt8>) -> Bool {
        key.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
    }

    private static func text(ofBytes value: JSONText) -> String? {
        let elements = value.elements
        let bytes = elements.compactMap { $0.int.flatMap(UInt8.init(exactly:)) }
        return bytes.count == elements.count && !bytes.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
