package import HarkWire

/// A primitive value of an event property.
package enum PropertyValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case bool(Bool)
}

/// The typed properties of an event, or the metadata of a session, packed into bytes.
///
/// Members keep their order. A member is: key length (varint), key (UTF-8), a tag byte, the value (string: varint
/// length and UTF-8; integer: zigzag varint; double: 8 bytes, little endian; bools are in the tag). The store keeps the
/// packed form, so an event is encoded once on its way to disk.
package struct Properties: Sendable, Equatable {
    /// Its own memory, or memory shared with other records' properties (`PropertyPool`); nil if empty. Any thread may read it,
    /// just like an array.
    nonisolated(unsafe) private(set) var memory: PropertyMemory?
    private var start: UInt32 = 0
    private var end: UInt32 = 0

    package static var none: Properties { Properties() }

    /// Takes bytes that another `Properties` has produced.
    package init(bytes: [UInt8]) {
        self.init()
        append(packed: bytes.count) { memory in bytes.withUnsafeBufferPointer { memory.append($0) } }
    }

    /// Properties that are in memory already.
    init(in memory: PropertyMemory, _ place: Range<Int>) {
        guard !place.isEmpty else { return }
        self.memory = memory
        (start, end) = (UInt32(place.lowerBound), UInt32(place.upperBound))
    }

    /// The start in this memory, if these properties are in it and end at `end`.
    func start(in memory: PropertyMemory, upTo end: Int) -> Int? {
        self.memory === memory && self.end == end ? Int(start) : nil
    }

    package init(_ members: [(String, PropertyValue)] = []) {
        for (key, value) in members { append(key, value) }
    }

    package var bytes: [UInt8] { withBytes { Array($0) } }

    package var byteCount: Int { Int(end &- start) }

    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        guard let memory else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
        return memory.withUnsafeMutablePointerToElements {
            body(UnsafeBufferPointer(start: $0 + Int(start), count: Int(end &- start)))
        }
    }

    /// Lets `body` write at most `more` bytes after the existing ones, in memory of its own.
    private mutating func append(packed more: Int, _ body: (inout BytePacker) -> Void) {
        guard more > 0 else { return }
        let count = byteCount
        if !isKnownUniquelyReferenced(&memory) || Int(end) + more > memory?.size ?? 0 {
            let made = PropertyMemory.make(count == 0 ? more : max(2 * count, count + more))
            withBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                made.withUnsafeMutablePointerToElements { $0.initialize(from: base, count: count) }
            }
            memory = made
            (start, end) = (0, UInt32(count))
        }
        memory?.withUnsafeMutablePointerToElements { base in
            var packer = BytePacker(base + Int(end))
            body(&packer)
            end = UInt32(packer.end - base)
        }
    }

    package static func == (left: Properties, right: Properties) -> Bool {
        left.withBytes { left in right.withBytes { left.elementsEqual($0) } }
    }

    /// The greatest size of a member without its key and text, in bytes, if its key has at most
    /// `Limits.propertyKeyBytes`: the length of the key, a tag, and a length or a number.
    @inlinable package static var memberOverhead: Int { 2 + 1 + 10 }

    package var isEmpty: Bool { start == end }

    @usableFromInline enum Tag {
        @inlinable static var string: UInt8 { 0 }
        @inlinable static var integer: UInt8 { 1 }
        @inlinable static var double: UInt8 { 2 }
        @inlinable static var no: UInt8 { 3 }
        @inlinable static var yes: UInt8 { 4 }
    }

    package mutating func append(_ key: String, _ value: PropertyValue) {
        var key = key
        key.withUTF8 { key in
            switch value {
            case .string(var text):
                text.withUTF8 { text in append(key, text.count) { $0.append(key: key, string: text) } }
            case .integer(let number): append(key) { $0.append(key: key, integer: number) }
            case .double(let number): append(key) { $0.append(key: key, double: number) }
            case .bool(let flag): append(key) { $0.append(key: key, bool: flag) }
            }
        }
    }

    private mutating func append(
        _ key: UnsafeBufferPointer<UInt8>, _ more: Int = 0, _ body: (inout PropertyPacker) -> Void
    ) {
        // The length of the key takes room too.
        let bound = key.count + more + Properties.memberOverhead + BytePacker.varintBound
        append(packed: bound) { packer in
            var properties = PropertyPacker(packer, room: bound)
            body(&properties)
            packer = properties.packer
        }
    }

    /// Appends all members of another.
    package mutating func append(_ other: Properties) {
        append(packed: other.byteCount) { packer in other.withBytes { packer.append($0) } }
    }
}

extension Properties {
    /// A member, read in place.
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

    /// Appends a member of another.
    ///
    /// - Parameter isEmptied: whether to leave a text empty.
    mutating func append(_ member: Member, isEmptied: Bool = false) {
        switch member.value {
        case .string(let text):
            let text = isEmptied ? UnsafeBufferPointer(rebasing: text[..<0]) : text
            append(member.key, text.count) { $0.append(key: member.key, string: text) }
        case .integer(let number): append(member.key) { $0.append(key: member.key, integer: number) }
        case .double(let number): append(member.key) { $0.append(key: member.key, double: number) }
        case .bool(let flag): append(member.key) { $0.append(key: member.key, bool: flag) }
        }
    }

    /// Calls `body` for each member in order; views are valid only during the call.
    package func forEachMember(_ body: (Member) -> Void) {
        withBytes { Properties.forEachMember(in: $0, body) }
    }

    /// Calls `body` for each member of packed bytes elsewhere, such as inside a block. Stops at damaged bytes.
    @inline(__always)
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

    /// Whether the bytes are valid members to the end, with UTF-8 texts, finite numbers and keys of bounded length. For
    /// bytes that another program has packed.
    package var isWhole: Bool { withBytes(Properties.isWhole) }

    static func isWhole(_ packed: UnsafeBufferPointer<UInt8>) -> Bool {
        var cursor = ByteCursor(packed)
        while !cursor.isAtEnd {
            let key = cursor.take(cursor.length())
            guard key.count <= Limits.propertyKeyBytes, Properties.isText(key) else { return false }
            switch cursor.byte() {
            case Tag.string:
                guard Properties.isText(cursor.take(cursor.length())) else { return false }
            case Tag.integer: _ = cursor.zigzag()
            case Tag.double: guard Double(bitPattern: cursor.littleEndian()).isFinite else { return false }
            case Tag.no, Tag.yes: break
            default: return false
            }
            guard !cursor.isDamaged else { return false }
        }
        return true
    }

    /// Whether bytes are UTF-8. Most are ASCII, which is checked without creating a string: that took half of a hub's
    /// time per record.
    static func isText(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.reduce(0, |) < 0x80 || String(validating: text, as: UTF8.self) != nil
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

    /// A lookup function for conditions. If many members are looked up many times, the members are read only once.
    ///
    /// - Parameter times: the approximate number of lookups.
    func lookup(times: Int) -> (String) -> JSONValue? {
        guard byteCount * min(times, 1 << 20) > 1 << 14 else { return { self[$0].map(JSONValue.init) } }
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
        withBytes { Properties.write($0, to: &json) }
    }

    package static func write(_ packed: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter) {
        json.unchecked(upTo: textBound(packed)) { write(packed, to: &$0) }
    }

    /// The greatest length of the JSON text, in bytes. A packed member has at least three bytes, a number two or nine
    /// of them, and a text grows at most sevenfold.
    static func textBound(_ packed: UnsafeBufferPointer<UInt8>) -> Int { 12 * packed.count + 64 }

    static func write(_ packed: UnsafeBufferPointer<UInt8>, to json: inout UncheckedJSONWriter) {
        json.byte(UInt8(ascii: "{"))
        var isFirst = true
        forEachMember(in: packed) { member in
            if !isFirst { json.byte(UInt8(ascii: ",")) }
            isFirst = false
            json.string(utf8: member.key)
            json.byte(UInt8(ascii: ":"))
            switch member.value {
            case .string(let text): json.string(utf8: text)
            case .integer(let number): json.int(number)
            case .double(let number): json.double(number)
            case .bool(let flag): json.bool(flag)
            }
        }
        json.byte(UInt8(ascii: "}"))
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
