package import HarkWire

/// A value of a parsed text, read in place from simdjson's tape.
///
/// A node and its buffers are valid only until its `JSONTape` parses the next text; copy what must live longer. A tape
/// word has the kind in its top byte and a payload of 56 bits below (simdjson, doc/tape.md).
package struct JSONNode {
    package enum Kind: Sendable {
        case null, bool, int, double, string, array, object
        /// An integer above `Int64.max` that fits in an unsigned 64-bit integer.
        case bigInt
    }

    package let tape: UnsafePointer<UInt64>
    package let strings: UnsafePointer<UInt8>
    package let index: Int

    package var kind: Kind {
        switch tag {
        case Tag.string: .string
        case Tag.int: .int
        case Tag.object: .object
        case Tag.array: .array
        case Tag.double: .double
        case Tag.yes, Tag.no: .bool
        case Tag.bigInt: .bigInt
        default: .null
        }
    }

    package var isNull: Bool { tag == Tag.null }

    package var bool: Bool? {
        switch tag {
        case Tag.yes: true
        case Tag.no: false
        default: nil
        }
    }

    package var int: Int64? {
        tag == Tag.int ? Int64(bitPattern: tape[index &+ 1]) : nil
    }

    /// The number, whether it was written as an integer or not.
    package var double: Double? {
        switch tag {
        case Tag.double: Double(bitPattern: tape[index &+ 1])
        case Tag.int: Double(Int64(bitPattern: tape[index &+ 1]))
        case Tag.bigInt: Double(tape[index &+ 1])
        default: nil
        }
    }

    /// The unescaped bytes of a string: well-formed UTF-8, which may contain U+0000.
    package var utf8: UnsafeBufferPointer<UInt8>? {
        tag == Tag.string ? text : nil
    }

    package var string: String? {
        utf8.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The members of an object in order; nil if this is no object.
    package var members: JSONMembers? {
        tag == Tag.object ? JSONMembers(tape: tape, strings: strings, index: index &+ 1) : nil
    }

    /// The elements of an array in order; nil if this is no array.
    package var elements: JSONElements? {
        tag == Tag.array ? JSONElements(tape: tape, strings: strings, index: index &+ 1) : nil
    }

    /// The value of an object's member; nil if there is none or this is no object.
    package func member(_ name: StaticString) -> JSONNode? {
        guard let members else { return nil }
        for member in members where member.key.isEqual(name) { return member.value }
        return nil
    }

    /// An independent copy. A `bigInt` becomes a double.
    package func toValue() -> JSONValue {
        switch kind {
        case .null: .null
        case .bool: .bool(tag == Tag.yes)
        case .int: .int(Int64(bitPattern: tape[index + 1]))
        case .double: .double(Double(bitPattern: tape[index + 1]))
        case .bigInt: .double(Double(tape[index + 1]))
        case .string: .string(String(decoding: text, as: UTF8.self))
        case .array:
            .array(JSONElements(tape: tape, strings: strings, index: index + 1).map { $0.toValue() })
        case .object:
            .object(
                JSONObject(
                    JSONMembers(tape: tape, strings: strings, index: index + 1).map {
                        (String(decoding: $0.key, as: UTF8.self), $0.value.toValue())
                    }))
        }
    }
}

extension JSONNode {
    package enum Tag {
        package static let object = UInt8(ascii: "{")
        static let objectEnd = UInt8(ascii: "}")
        package static let array = UInt8(ascii: "[")
        static let arrayEnd = UInt8(ascii: "]")
        package static let string = UInt8(ascii: "\"")
        package static let int = UInt8(ascii: "l")
        package static let bigInt = UInt8(ascii: "u")
        package static let double = UInt8(ascii: "d")
        package static let yes = UInt8(ascii: "t")
        package static let no = UInt8(ascii: "f")
        package static let null = UInt8(ascii: "n")
    }

    package var tag: UInt8 { UInt8(truncatingIfNeeded: tape[index] &>> 56) }

    /// The tape index of the next value.
    var nextIndex: Int {
        switch tag {
        case Tag.object, Tag.array: Int(UInt32(truncatingIfNeeded: tape[index]))
        case Tag.int, Tag.double, Tag.bigInt: index &+ 2
        default: index &+ 1
        }
    }

    /// The bytes of a string node: the string buffer has a 32-bit length before them.
    package var text: UnsafeBufferPointer<UInt8> {
        let offset = Int(truncatingIfNeeded: tape[index] & 0x00FF_FFFF_FFFF_FFFF)
        let length = UnsafeRawPointer(strings + offset).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: strings + offset + 4, count: Int(length))
    }
}
