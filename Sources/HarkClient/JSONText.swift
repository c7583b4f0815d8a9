import Glibc
package import HarkWire

/// A JSON value as its original bytes.
///
/// Members and elements are found by skipping over values without decoding, so a long reply costs one pass over its
/// bytes and a line can be passed on unchanged. The bytes must be JSON: with other bytes the results are empty or
/// wrong, but never out of bounds. To decode values, use `JSONValue`.
package struct JSONText: Sendable {
    package let bytes: ArraySlice<UInt8>

    /// Takes the bytes without surrounding white space.
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
    package var int: Int64? {
        if let count = count { return count }
        return isString ? nil : Int64(String(decoding: bytes, as: UTF8.self))
    }
    /// The fast path for a number of up to 18 digits, as nearly all are.
    private var count: Int64? {
        guard (1...18).contains(bytes.count) else { return nil }
        var value: Int64 = 0
        for byte in bytes {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return value
    }
    package var double: Double? { isString ? nil : Double(String(decoding: bytes, as: UTF8.self)) }
    /// The text of a string, unescaped; nil for other values.
    package var string: String? { stringBytes.map { String(decoding: $0, as: UTF8.self) } }
    package var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The value on one line, as requests need it: line breaks between members become spaces.
    package var line: [UInt8] { bytes.map { $0.isJSONLineBreak ? 0x20 : $0 } }

    /// Returns the first member of that name; nil if there is none or this is not an object.
    package func member(_ name: StaticString) -> JSONText? {
        let range = find(.openBrace) { scanner in
            while let (key, value) = scanner.member() {
                if scanner.isName(key, name) { return value }
                guard scanner.skip(.comma) else { break }
            }
            return nil
        }
        return range.map { JSONText(value: $0, of: bytes) }
    }

    /// The place of a member: its key without quotes, and its value.
    typealias Place = (key: Range<Int>, value: Range<Int>)

    /// Returns the member at `place` if it has this name, and advances `place`; else any member of that name, without a
    /// change to `place`.
    ///
    /// - Parameter places: The places of all members, made when they are first needed: to look for each absent member in
    ///   the text would take time that grows with the square of its length.
    func member(_ name: StaticString, from place: inout Int, or places: inout [Place]?) -> JSONText? {
        let next = bytes.withUnsafeBufferPointer { bytes -> (value: Range<Int>, end: Int)? in
            var scanner = JSONScanner(bytes, at: place)
            guard scanner.skip(place == 0 ? .openBrace : .comma), let (key, value) = scanner.member(),
                scanner.isName(key, name)
            else { return nil }
            return (value, scanner.position)
        }
        guard let next else {
            let known = places ?? allPlaces
            places = known
            let value = bytes.withUnsafeBufferPointer { bytes in
                let scanner = JSONScanner(bytes)
                return known.first { scanner.isName($0.key, name) }?.value
            }
            return value.map { JSONText(value: $0, of: bytes) }
        }
        place = next.end
        return JSONText(value: next.value, of: bytes)
    }

    private var allPlaces: [Place] {
        var places: [Place] = []
        scan(.openBrace) { scanner in
            while let (key, value) = scanner.member() {
                places.append((key, value))
                guard scanner.skip(.comma) else { break }
            }
        }
        return places
    }

    /// Returns the first member of a name that is not a literal.
    package func member(named name: String) -> JSONText? {
        var found: JSONText?
        forEachMember { key, value in
            if key.elementsEqual(name.utf8) { found = value }
            return found == nil
        }
        return found
    }

    /// Calls `body` with each member's key (raw bytes without quotes) and value until it returns false.
    package func forEachMember(_ body: (_ key: ArraySlice<UInt8>, _ value: JSONText) -> Bool) {
        let start = bytes.startIndex
        scan(.openBrace) { scanner in
            while let (key, value) = scanner.member() {
                let name = bytes[start + key.lowerBound..<start + key.upperBound]
                guard body(name, JSONText(value: value, of: bytes)), scanner.skip(.comma) else { return }
            }
        }
    }

    /// The members of an object by name.
    package var membersByName: [String: JSONText] {
        var members: [String: JSONText] = [:]
        forEachMember { key, value in
            if let name = JSONText("\"\(String(decoding: key, as: UTF8.self))\"").string { members[name] = value }
            return true
        }
        return members
    }

    /// Whether this is a non-empty object.
    package var hasMembers: Bool { find(.openBrace) { $0.string() } != nil }

    /// The elements of an array; empty for other values.
    package var elements: [JSONText] {
        var found: [JSONText] = []
        scan(.openBracket) { scanner in
            while let value = scanner.value() {
                found.append(JSONText(value: value, of: bytes))
                guard scanner.skip(.comma) else { break }
            }
        }
        return found
    }

    /// Calls `body` at each element of an array member. `body` must step over the element.
    package func forEachElement(of list: StaticString, _ body: (inout JSONScanner) throws -> Void) rethrows {
        try bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            guard scanner.skip(.openBrace) else { return }
            while let key = scanner.string(), scanner.skip(.colon) {
                if scanner.isName(key.lowerBound + 1..<key.upperBound - 1, list) { return try scanner.elements(body) }
                guard scanner.value() != nil, scanner.skip(.comma) else { return }
            }
        }
    }

    /// Returns the ranges in `bytes` of the elements of an array member, and a member after it. Used for pages, which
    /// may be long.
    package func page(of list: StaticString, next: StaticString) -> (elements: [Range<Int>], next: JSONText?) {
        let start = bytes.startIndex
        var found: [Range<Int>] = []
        forEachElement(of: list) { scanner in
            if let value = scanner.value() { found.append(start + value.lowerBound..<start + value.upperBound) }
        }
        return (found, ending(next))
    }

    /// Returns a member that is usually the last, and a string or number. It is then found from the end, however long
    /// the value is.
    package func ending(_ name: StaticString) -> JSONText? {
        let inner = bytes.dropFirst().dropLast()
        guard isObject, let last = inner.last,
            let start = last == .quote
                ? inner.dropLast().lastIndex(of: .quote) : inner.lastIndex(of: .colon).map({ $0 + 1 })
        else { return nil }
        let value = inner[start...]
        let key = inner[..<start].suffix(name.utf8CodeUnitCount + 4)
        // With a backslash before it, the first quote would be inside a string.
        let isKey =
            key.count == name.utf8CodeUnitCount + 4 && key.first != .backslash && key.dropFirst().first == .quote
            && key.dropFirst(2).dropLast(2).isEqual(name) && key.suffix(2).elementsEqual("\":".utf8)
        return isKey && value.withUnsafeBufferPointer({ JSONScanner.isOneValue($0) }) ? JSONText(value) : member(name)
    }

    /// Scans the content of the brackets, if the value has brackets of that kind.
    private func scan(_ bracket: UInt8, _ body: (inout JSONScanner) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            if scanner.skip(bracket) { body(&scanner) }
        }
    }

    private func find(_ bracket: UInt8, _ body: (inout JSONScanner) -> Range<Int>?) -> Range<Int>? {
        bytes.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            return scanner.skip(bracket) ? body(&scanner) : nil
        }
    }

    /// Wraps a range found by a scanner, which has no white space around it.
    package init(value range: Range<Int>, of bytes: ArraySlice<UInt8>) {
        self.bytes = bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }

    /// Whether the result of `hello` lists a feature.
    package func hasFeature(_ feature: Feature) -> Bool {
        Greeting(self).features.contains(feature.rawValue)
    }

    /// Whether the bytes are exactly one object, judged by quotes and brackets only.
    ///
    /// Such bytes cannot break out of a request when they are its `params`; the daemon validates the rest.
    package var isOneObject: Bool {
        guard isObject else { return false }
        return bytes.withUnsafeBufferPointer { JSONScanner.isOneValue($0) }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes equal a literal name.
    package func isEqual(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount else { return false }
        return withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, name.utf8Start, bytes.count) == 0 } ?? true
        }
    }
}
