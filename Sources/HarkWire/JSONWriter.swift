/// Appends JSON text to a byte array.
///
/// Every reply, stored row and archive line goes through here, so nothing is allocated but the growth of `bytes`.
/// Commas are set by looking at the last byte: there is no state, and a finished piece of JSON can be put in by `raw`.
/// The caller is trusted to make pairs of `begin` and `end` and to put a key before each member's value.
package struct JSONWriter: Sendable {
    /// The text so far. Whoever has sent it may empty it (`removeAll(keepingCapacity: true)`) and go on.
    package var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Ends a line. The next value stands by itself.
    package mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

    /// Puts in a finished JSON value.
    package mutating func raw(_ text: UnsafeBufferPointer<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    package mutating func raw(_ text: [UInt8]) {
        separate()
        bytes.append(contentsOf: text)
    }

    package mutating func raw(_ text: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: text)
    }

    /// The text of an object whose members `body` writes, such as the params of a request.
    package static func object<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        try body(&json)
        json.endObject()
        return json.bytes
    }

    /// Puts the members of an object that `body` writes into the object that is open here.
    package mutating func members(_ body: (inout JSONWriter) -> Void) {
        var inner = JSONWriter()
        body(&inner)
        let members = inner.bytes.dropFirst().dropLast()
        if !members.isEmpty { raw(members) }
    }

    package mutating func null() { literal("null") }
    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .double(let value): double(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object): self.object(object)
        }
    }

    package mutating func object(_ object: JSONObject) {
        beginObject()
        for member in object {
            key(member.key)
            value(member.value)
        }
        endObject()
    }
}

extension JSONWriter {
    private mutating func open(_ bracket: UInt8) {
        appendValue(upTo: 1) { start in
            start[0] = bracket
            return 1
        }
    }

    /// Puts in a piece of JSON, whole or not, with a comma before it if one is due.
    mutating func literal(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Puts a comma where the value or key to come needs one.
    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): false
        default: true
        }
    }

    /// Lets `body` write at most `capacity` bytes behind the text, plus a comma before them if one is due.
    ///
    /// `body` returns how many it wrote.
    mutating func appendValue(upTo capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        let comma = needsComma ? 1 : 0
        append(upTo: capacity + 1) { text in
            text.byte(UInt8(ascii: ","))
            text.end += comma - 1
            text.end += body(text.end)
        }
    }

    /// Puts in a value that `body` writes, at most so many bytes of it, with a comma before it if one is due.
    @inlinable
    package mutating func unchecked(upTo capacity: Int, _ body: (inout UncheckedJSONWriter) -> Void) {
        let comma = needsComma ? 1 : 0
        append(upTo: capacity + 1) { text in
            text.byte(UInt8(ascii: ","))
            text.end += comma - 1
            body(&text)
        }
    }

    /// Puts in a string that holds the JSON that `body` writes, at most so many bytes with its escapes.
    package mutating func nested(upTo capacity: Int, _ body: (inout UncheckedJSONWriter) -> Void) {
        unchecked(upTo: capacity + 2) { text in
            text.byte(UInt8(ascii: "\""))
            var inner = UncheckedJSONWriter(text.end, isNested: true)
            body(&inner)
            text.end = inner.end
            text.byte(UInt8(ascii: "\""))
        }
    }

    @inlinable
    mutating func append(upTo capacity: Int, _ body: (inout UncheckedJSONWriter) -> Void) {
        bytes.append(addingCapacity: capacity) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                var text = UncheckedJSONWriter(start)
                body(&text)
                count = text.end - start
            }
        }
    }
}
