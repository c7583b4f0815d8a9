package import HarkWire

/// A primitive value of an event property.
package enum PropertyValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
}

/// The typed properties of an event, or the metadata of a session, packed into one run of bytes.
///
/// Members keep the order in which they came. A member is: key length (varint), key (UTF-8), a tag byte, the value
/// (string: varint length and UTF-8; integer: zigzag varint; double: 8 bytes, little endian; bools live in the tag).
/// The packed form is what the store keeps, so an event is encoded once on its way to disk.
package struct Properties: Sendable, Equatable {
    package private(set) var bytes: [UInt8]

    package static let none = Properties(bytes: [])

    /// Takes bytes that an earlier `Properties` produced.
    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// No members yet, and room for so many bytes of them.
    package init(reservingCapacity capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// What a member takes at most besides its key and its text.
    package static let memberOverhead = 16

    package init(_ members: [(String, PropertyValue)] = []) {
        bytes = []
        for (key, value) in members { append(key, value) }
    }

    package var isEmpty: Bool { bytes.isEmpty }

    private enum Tag {
        static let string: UInt8 = 0
        static let integer: UInt8 = 1
        static let double: UInt8 = 2
        static let no: UInt8 = 3
        static let yes: UInt8 = 4
    }

    package mutating func append(_ key: String, _ value: PropertyValue) {
        var key = key
        key.withUTF8 { key in
            switch value {
            case .string(var text): text.withUTF8 { append(key: key, string: $0) }
            case .integer(let number): append(key: key, integer: number)
            case .double(let number): append(key: key, double: number)
            case .bool(let flag): append(key: key, bool: flag)
            }
        }
    }

    /// Appends all members of another, as they are.
    package mutating func append(_ other: Properties) {
        bytes.append(contentsOf: other.bytes)
    }

    package mutating func append(key: UnsafeBufferPointer<UInt8>, string: UnsafeBufferPointer<UInt8>) {
        append(key: key, tag: Tag.string)
        bytes.appendVarint(UInt64(string.count))
        bytes.append(contentsOf: string)
    }

    package mutating func append(key: UnsafeBufferPointer<UInt8>, integer: Int64) {
        append(key: key, tag: Tag.integer)
        bytes.appendZigzag(integer)
    }

    package mutating func append(key: UnsafeBufferPointer<UInt8>, double: Double) {
        append(key: key, tag: Tag.double)
        bytes.appendLittleEndian(double.bitPattern)
    }

    package mutating func append(key: UnsafeBufferPointer<UInt8>, bool: Bool) {
        append(key: key, tag: bool ? Tag.yes : Tag.no)
    }

    private mutating func append(key: UnsafeBufferPointer<UInt8>, tag: UInt8) {
        bytes.appendVarint(UInt64(key.count))
        bytes.append(contentsOf: key)
        bytes.append(tag)
    }
}

extension Properties {
    /// One member, viewed in place.
    package struct Member {
        package let key: UnsafeBufferPointer<UInt8>
        package let value: View

        package enum View {
            case string(UnsafeBufferPointer<UInt8>)
            case integer(Int64)
            case double(Double)
            case bool(Bool)
        }
    }

    /// Calls `body` for each member in order; the views are valid only during the call.
    package func forEachMember(_ body: (Member) -> Void) {
        bytes.withUnsafeBufferPointer { Properties.forEachMember(in: $0, body) }
    }

    /// The same over packed bytes that lie elsewhere, such as inside a block of the store. Damaged bytes end it.
    package static func forEachMember(in packed: UnsafeBufferPointer<UInt8>, _ body: (Member) -> Void) {
        var cursor = ByteCursor(packed)
        while !cursor.isAtEnd {
            let key = cursor.take(cursor.length())
            let tag = cursor.byte()
            let value: Member.View
            switch tag {
            case Tag.string: value = .string(cursor.take(cursor.length()))
            case Tag.integer: value = .integer(cursor.zigzag())
            case Tag.double: value = .double(Double(bitPattern: cursor.littleEndian()))
            case Tag.no, Tag.yes: value = .bool(tag == Tag.yes)
            default: return
            }
            guard !cursor.isDamaged else { return }
            body(Member(key: key, value: value))
        }
    }

    /// The value of a key; nil when the key is absent.
    package subscript(key: String) -> PropertyValue? {
        var found: PropertyValue?
        var key = key
        key.withUTF8 { wanted in
            forEachMember { member in
                if found == nil, member.key.elementsEqual(wanted) { found = PropertyValue(member.value) }
            }
        }
        return found
    }

    /// Looks values up for conditions; where many members are asked for many times, each is gone through only once.
    ///
    /// - Parameter times: about how often it is asked.
    func lookup(times: Int) -> (String) -> JSONValue? {
        guard bytes.count * min(times, 1 << 20) > 1 << 14 else { return { self[$0].map(JSONValue.init) } }
        let values = Dictionary(members.map { (ExactName($0.key), $0.value) }) { first, _ in first }
        return { values[ExactName($0)].map(JSONValue.init) }
    }

    package var members: [(key: String, value: PropertyValue)] {
        var result: [(key: String, value: PropertyValue)] = []
        forEachMember { result.append((String(decoding: $0.key, as: UTF8.self), PropertyValue($0.value))) }
        return result
    }

    /// Writes the members as a JSON object.
    package func write(to json: inout JSONWriter) {
        bytes.withUnsafeBufferPointer { Properties.write($0, to: &json) }
    }

    package static func write(_ packed: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter) {
        json.beginObject()
        forEachMember(in: packed) { member in
            json.key(utf8: member.key)
            switch member.value {
            case .string(let text): json.string(utf8: text)
            case .integer(let number): json.int(number)
            case .double(let number): json.double(number)
            case .bool(let flag): json.bool(flag)
            }
        }
        json.endObject()
    }
}

extension PropertyValue {
    init(_ view: Properties.Member.View) {
        switch view {
        case .string(let text): self = .string(String(decoding: text, as: UTF8.self))
        case .integer(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .bool(let flag): self = .bool(flag)
        }
    }
}
