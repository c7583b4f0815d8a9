/// Appends JSON text to a byte array.
///
/// Every reply, stored row and archive line is written here, so only the growth of `bytes` allocates. The last byte
/// decides about commas: there is no other state, and `raw` can insert finished JSON. The caller must pair `begin` and
/// `end` and write a key before each member's value.
package struct JSONWriter: Sendable {
    /// The text so far. After sending it, a caller may clear it (`removeAll(keepingCapacity: true)`) and continue.
    package var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// Ends a line. The next value is separate.
    package mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

    /// Writes a finished JSON value.
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

    /// Returns the text of an object whose members `body` writes, such as the params of a request.
    package static func object<Failure>(
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        try body(&json)
        json.endObject()
        return json.bytes
    }

    /// Writes the members that `body` writes into the open object.
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

    /// Writes a piece of JSON, complete or not, after a comma if one is due.
    mutating func literal(_ text: StaticString) {
        raw(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes a comma if the next value or key needs one.
    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    var needsComma: Bool {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): false
        default: true
        }
    }

    /// Lets `body` write at most `capacity` bytes, after a comma if one is due.
    ///
    /// `body` returns the number of bytes written.
    mutating func appendValue(upTo capacity: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        let comma = needsComma ? 1 : 0
        append(upTo: capacity + 1) { text in
            text.byte(UInt8(ascii: ","))
            text.end += comma - 1
            text.end += body(text.end)
        }
    }

    /// Writes a value of at most `capacity` bytes from `body`, after a comma if one is due.
    @inlinable
    package mutating func unchecked(upTo capacity: Int, _ body: (inout UncheckedJSONWriter) -> Void) {
        let comma = needsComma ? 1 : 0
        append(upTo: capacity + 1) { text in
            text.byte(UInt8(ascii: ","))
            text.end += comma - 1
            body(&text)
        }
    }

    /// Writes a string that contains the JSON from `body`, at most `capacity` bytes including escapes.
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
