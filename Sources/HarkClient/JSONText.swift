import Glibc
package import HarkWire

/// One JSON value, as the bytes it was written with.
///
/// It finds members and elements by skipping over values and decodes nothing, so a long reply costs one pass over its
/// bytes and a line can be passed on exactly as it was. It trusts its bytes to be JSON: on other bytes it finds
/// nothing, or nonsense, and never reads outside them. Where values are wanted rather than found, use `JSONValue`.
package struct JSONText: Sendable {
    package let bytes: ArraySlice<UInt8>

    /// Takes the bytes as they are, without the white space around them.
    package init(_ bytes: ArraySlice<UInt8>) {
        var bytes = bytes
        while let first = bytes.first, first.isJSONSpace { bytes = bytes.dropFirst() }
        while let last = bytes.last, last.isJSONSpace { bytes = bytes.dropLast() }
        self.bytes = bytes
    }

    package init(_ text: String) {
        self.init(ArraySlice(text.utf8))
    }

    package var isObject: Bool { bytes.first == .openBrace }
    package var isArray: Bool { bytes.first == .openBracket }
    package var isString: Bool { bytes.first == .quote }
    package var isNull: Bool { bytes.elementsEqual("null".utf8) }
    package var bool: Bool? {
        bytes.elementsEqual("true".utf8) ? true : bytes.elementsEqual("false".utf8) ? false : nil
    }
    package var int: Int64? { isString ? nil : Int64(String(decoding: bytes, as: UTF8.self)) }
    package var double: Double? { isString ? nil : Double(String(decoding: bytes, as: UTF8.self)) }
    /// The text of a string, its escapes resolved; nil for other values.
    package var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The same value in one line, as requests are: line breaks between members are white space.
    package var line: [UInt8] { bytes.map { $0.isJSONLineBreak ? 0x20 : $0 } }

    /// The value of the first member of that name; nil if there is none or this is no object.
    package func member(_ name: StaticString) -> JSONText? {
        var found: JSONText?
        forEachMember { key, value in
            guard key.count == name.utf8CodeUnitCount,
                key.withUnsafeBufferPointer({ $0.baseAddress.map { memcmp($0, name.utf8Start, key.count) } ?? 0 }) == 0
            else { return true }
            found = value
            return false
        }
        return found
    }

    /// The same for a name that is not one of the source.
    package func member(named name: String) -> JSONText? {
        var found: JSONText?
        forEachMember { key, value in
            if key.elementsEqual(name.utf8) { found = value }
            return found == nil
        }
        return found
    }

    /// Calls `body` with each member's key (its bytes between the quotes, escapes and all) and value until it says false.
    package func forEachMember(_ body: (_ key: ArraySlice<UInt8>, _ value: JSONText) -> Bool) {
        guard isObject else { return }
        var scanner = JSONScanner(bytes)
        scanner.skip(1)
        while let key = scanner.string(), scanner.skip(.colon), let value = scanner.value() {
            guard body(bytes[key].dropFirst().dropLast(), JSONText(bytes[value])), scanner.skip(.comma) else { return }
        }
    }

    /// The elements of an array; nothing for other values.
    package var elements: [JSONText] {
        guard isArray else { return [] }
        var found: [JSONText] = []
        var scanner = JSONScanner(bytes)
        scanner.skip(1)
        while let value = scanner.value() {
            found.append(JSONText(bytes[value]))
            guard scanner.skip(.comma) else { break }
        }
        return found
    }

    /// Of the result of `hello`: whether the daemon says that it can do this.
    package func hasFeature(_ feature: Feature) -> Bool {
        member("features")?.elements.contains { $0.string == feature.rawValue } ?? false
    }

    /// Whether the bytes are one object and nothing after it, judged by quotes and brackets alone.
    ///
    /// Bytes that pass can be put into a request as `params` without reaching out of it; the daemon judges the rest.
    package var isOneObject: Bool {
        guard isObject else { return false }
        var scanner = JSONScanner(bytes)
        return scanner.value() == bytes.indices
    }
}
