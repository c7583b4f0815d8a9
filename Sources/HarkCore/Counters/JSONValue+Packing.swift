package import HarkWire

/// The binary form of a JSON value in the store: a tag, then the content; arrays and objects begin with their count.
extension JSONValue {
    private enum Tag {
        static let null: UInt8 = 0
        static let no: UInt8 = 1
        static let yes: UInt8 = 2
        static let integer: UInt8 = 3
        static let double: UInt8 = 4
        static let string: UInt8 = 5
        static let array: UInt8 = 6
        static let object: UInt8 = 7
    }

    /// The greatest nesting depth that the store keeps. A request nests less; a value built from one may nest more.
    package static let maxStoredDepth = 300

    /// Whether the store can read the value back.
    package var isStorable: Bool { isStorable(depth: 0) }

    private func isStorable(depth: Int) -> Bool {
        guard depth < JSONValue.maxStoredDepth else { return false }
        return switch self {
        case .null, .bool, .int, .double, .string: true
        case .array(let elements): elements.allSatisfy { $0.isStorable(depth: depth + 1) }
        case .object(let object): object.allSatisfy { $0.value.isStorable(depth: depth + 1) }
        }
    }

    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        pack(into: &bytes)
        return bytes
    }

    /// - Returns: nil when the bytes are not a packed value.
    package init?(packed bytes: [UInt8]) {
        let value = bytes.withUnsafeBufferPointer { bytes -> JSONValue? in
            var cursor = ByteCursor(bytes)
            let value = JSONValue.unpack(&cursor, depth: 0)
            // No `?:` here: its nil would become a JSON null.
            guard !cursor.isDamaged, cursor.isAtEnd else { return nil }
            return value
        }
        guard let value else { return nil }
        self = value
    }

    private func pack(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(Tag.null)
        case .bool(let flag): bytes.append(flag ? Tag.yes : Tag.no)
        case .int(let number):
            bytes.append(Tag.integer)
            bytes.appendZigzag(number)
        case .double(let number):
            bytes.append(Tag.double)
            bytes.appendLittleEndian(number.bitPattern)
        case .string(let text):
            bytes.append(Tag.string)
            JSONValue.pack(text, into: &bytes)
        case .array(let elements):
            bytes.append(Tag.array)
            bytes.appendVarint(UInt64(elements.count))
            for element in elements { element.pack(into: &bytes) }
        case .object(let object):
            bytes.append(Tag.object)
            bytes.appendVarint(UInt64(object.count))
            for member in object {
                JSONValue.pack(member.key, into: &bytes)
                member.value.pack(into: &bytes)
            }
        }
    }

    private static func pack(_ text: String, into bytes: inout [UInt8]) {
        bytes.appendVarint(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    private static func unpack(_ cursor: inout ByteCursor, depth: Int) -> JSONValue {
        guard depth < maxStoredDepth else {
            cursor.fail()
            return .null
        }
        switch cursor.byte() {
        case Tag.null: return .null
        case Tag.no: return .bool(false)
        case Tag.yes: return .bool(true)
        case Tag.integer: return .int(cursor.zigzag())
        case Tag.double: return .double(Double(bitPattern: cursor.littleEndian()))
        case Tag.string: return .string(text(&cursor))
        case Tag.array:
            var elements: [JSONValue] = []
            forEach(&cursor) { elements.append(unpack(&$0, depth: depth + 1)) }
            return .array(elements)
        case Tag.object:
            var members: [(String, JSONValue)] = []
            forEach(&cursor) { cursor in
                let key = text(&cursor)
                members.append((key, unpack(&cursor, depth: depth + 1)))
            }
            return .object(JSONObject(members))
        default:
            cursor.fail()
            return .null
        }
    }

    /// A false count ends with the bytes.
    private static func forEach(_ cursor: inout ByteCursor, _ body: (inout ByteCursor) -> Void) {
        var left = cursor.varint()
        while left > 0, !cursor.isDamaged {
            body(&cursor)
            left -= 1
        }
    }

    private static func text(_ cursor: inout ByteCursor) -> String {
        String(decoding: cursor.take(cursor.length()), as: UTF8.self)
    }
}
