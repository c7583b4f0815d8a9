import HarkClient
import HarkWire

/// The values nested in an object, under dotted names: `{"a":{"b":1},"c":[2]}` has `a.b` and `c.0`.
///
/// Nulls, empty objects and empty lists are left out. The journal writes a value that is not plain text as a list of
/// bytes: under a name in the journal's style (`MESSAGE`) such a list becomes a text.
struct FlatFields {
    private(set) var fields: [FieldEvent.Field] = []

    /// - Parameter object: An object whose brackets match (`JSONText.isOneObject`), which bounds its depth.
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
