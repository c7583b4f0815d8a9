internal import HarkWire

/// Encodes values of events as bytes that are equal for values that count as equal: 3 and 3.0 do, 3 and `"3"` do not.
///
/// A tag byte gives the kind: missing, a text (length and UTF-8), an integer, another number, a bool, a session.
enum FieldKey {
    private enum Tag {
        static let missing: UInt8 = 0
        static let text: UInt8 = 1
        static let integer: UInt8 = 2
        static let double: UInt8 = 3
        static let bool: UInt8 = 4
        static let identifier: UInt8 = 5
    }

    static func appendMissing(to key: inout [UInt8]) { key.append(Tag.missing) }

    static func append(_ text: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]) {
        key.append(Tag.text)
        key.appendVarint(UInt64(text.count))
        key.append(contentsOf: text)
    }

    static func append(_ text: String, to key: inout [UInt8]) {
        var text = text
        text.withUTF8 { append($0, to: &key) }
    }

    static func append(_ number: Int64, to key: inout [UInt8]) {
        key.append(Tag.integer)
        key.appendZigzag(number)
    }

    static func append(_ number: Double, to key: inout [UInt8]) {
        if let integer = Int64(exactly: number) { return append(integer, to: &key) }
        key.append(Tag.double)
        key.appendLittleEndian(number.bitPattern)
    }

    static func append(_ flag: Bool, to key: inout [UInt8]) {
        key.append(Tag.bool)
        key.append(flag ? 1 : 0)
    }

    static func append(_ id: Identifier, to key: inout [UInt8]) {
        key.append(Tag.identifier)
        key.appendLittleEndian(id.high)
        key.appendLittleEndian(id.low)
    }

    static func append(_ value: Properties.Member.View?, to key: inout [UInt8]) {
        switch value {
        case nil: appendMissing(to: &key)
        case .string(let text): append(text, to: &key)
        case .integer(let number): append(number, to: &key)
        case .double(let number): append(number, to: &key)
        case .bool(let flag): append(flag, to: &key)
        }
    }

    /// Bytes that sort keys by value: texts byte by byte, numbers by size.
    static func order(of key: ArraySlice<UInt8>) -> [UInt8] {
        var order: [UInt8] = []
        func append(_ tag: UInt8, _ number: UInt64) {
            order.append(tag)
            withUnsafeBytes(of: number.bigEndian) { order += $0 }
        }
        for value in values(of: key) {
            switch value {
            case .string(let text):
                order.append(Tag.text)
                order += text.utf8
                order.append(0)
            case .int(let number): append(Tag.integer, UInt64(bitPattern: number) ^ 1 << 63)
            case .double(let number):
                let bits = number.bitPattern
                append(Tag.double, bits >> 63 == 1 ? ~bits : bits ^ 1 << 63)
            case .bool(let flag): append(Tag.bool, flag ? 1 : 0)
            case .null, .array, .object: order.append(Tag.missing)
            }
        }
        return order
    }

    /// Bytes that sort single values.
    static func order(of value: JSONValue) -> [UInt8] {
        var key: [UInt8] = []
        switch value {
        case .string(let text): append(text, to: &key)
        case .int(let number): append(number, to: &key)
        case .double(let number): append(number, to: &key)
        case .bool(let flag): append(flag, to: &key)
        case .null, .array, .object: appendMissing(to: &key)
        }
        return order(of: key[...])
    }

    /// Decodes the values of a key.
    static func values(of key: ArraySlice<UInt8>) -> [JSONValue] {
        key.withUnsafeBufferPointer { bytes in
            var cursor = ByteCursor(bytes)
            var values: [JSONValue] = []
            while !cursor.isAtEnd {
                switch cursor.byte() {
                case Tag.text: values.append(.string(String(decoding: cursor.take(cursor.length()), as: UTF8.self)))
                case Tag.integer: values.append(.int(cursor.zigzag()))
                case Tag.double: values.append(.double(Double(bitPattern: cursor.littleEndian())))
                case Tag.bool: values.append(.bool(cursor.byte() == 1))
                case Tag.identifier:
                    let (high, low) = (cursor.littleEndian(), cursor.littleEndian())
                    values.append(.string(Identifier(high: high, low: low).description))
                default: values.append(.null)
                }
            }
            return values
        }
    }
}
