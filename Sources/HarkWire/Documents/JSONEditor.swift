/// Adds or removes a member of a JSON5 object that a person wrote, or an element of an array in it. The rest of the
/// text stays the same byte by byte: comments, order, commas and line ends.
///
/// Adding and then removing leaves no trace. A text without a value gets an object, which stays.
package struct JSONEditor: Sendable {
    package private(set) var bytes: [UInt8]
    private var document: JSONDocument?

    /// - Throws: The first error of the text, or an error if it is not an object.
    package init(_ bytes: [UInt8]) throws(JSONFault) {
        self.bytes = bytes
        guard try !Self.isBlank(bytes) else { return }
        let document = try JSONDocument(bytes, .json5)
        guard document.value.objectValue != nil else {
            let place = document.places(of: ["$"]).first ?? TextPlace(line: 1, column: 1)
            throw JSONFault(place: place, problem: "it has no members, as it is no object in braces")
        }
        self.document = document
    }

    /// Whether there are only white space and comments.
    private static func isBlank(_ bytes: [UInt8]) throws(JSONFault) -> Bool {
        var tokens = JSONTokens(bytes, isJSON5: true)
        try tokens.checkEncoding()
        try tokens.skipSpace()
        return tokens.peek == nil
    }

    package subscript(name: String) -> JSONValue? { document?.value[name] }

    /// Adds a member at the end.
    ///
    /// Precondition: no member has that name.
    package mutating func add(_ name: String, _ value: JSONObject) throws(JSONFault) {
        guard let document else {
            let gap = bytes.isEmpty || bytes.last.map(Self.isLineEnd) == true ? [] : newline
            self = try JSONEditor(bytes + gap + Array("{".utf8) + newline + Array("}".utf8) + newline)
            return try add(name, value)
        }
        let container = Container(range: document.range, children: document.memberRanges)
        let newline = newline
        try insert(into: container) { isOneLine, indent in
            Self.text(name, value, isOneLine: isOneLine, newline: newline, indent: indent)
        }
    }

    /// Appends an element to the array member of that name, which is created if there is none.
    ///
    /// - Throws: An error also if that member is not an array.
    package mutating func append(_ value: JSONObject, to name: String) throws(JSONFault) {
        if self[name] == nil {
            try add(name, JSONObject())
            try makeArray(of: name)
        }
        let container = try array(name)
        // An empty array is indented relative to the line of its member.
        let isEmpty = container.children.isEmpty
        let newline = newline
        let outer = isEmpty ? indentation(of: document?.memberRange(name)) : []
        try insert(into: container, isOneLine: isEmpty ? false : nil, indent: isEmpty ? outer + outer : nil) {
            isOneLine, indent in
            isOneLine ? Self.text(.object(value)) : Self.lines(.object(value), newline: newline, indent: indent)
        }
        guard isEmpty else { return }
        let close = try array(name).range.upperBound - 1
        try take(bytes[..<close] + newline + outer + bytes[close...])
    }

    /// Removes an element of an array member. An array without elements keeps its brackets.
    package mutating func removeElement(_ index: Int, of name: String) throws(JSONFault) {
        let container = try array(name)
        guard container.children.indices.contains(index) else { return }
        try take(without: container.children[index], of: container.children) { editor in
            editor.document?.elementRanges(of: name).count == container.children.count - 1
        }
        let range = try array(name).range
        let inside = bytes[(range.lowerBound + 1)..<(range.upperBound - 1)]
        guard inside.allSatisfy(Self.isSpace) else { return }
        try take(bytes[...range.lowerBound] + bytes[(range.upperBound - 1)...])
    }

    /// An object or array in the text: its range with brackets, and its children.
    private struct Container {
        let range: Range<Int>
        let children: [Range<Int>]
    }

    private func array(_ name: String) throws(JSONFault) -> Container {
        guard let member = document?.memberRange(name) else { throw noArray(name, 0) }
        var tokens = JSONTokens(bytes, isJSON5: true)
        tokens.skip(member.lowerBound)
        if tokens.peek == UInt8(ascii: "\"") || tokens.peek == UInt8(ascii: "'") {
            _ = try tokens.text()
        } else {
            _ = try tokens.bareName()
        }
        try tokens.skipSpace()
        tokens.skip(1)
        try tokens.skipSpace()
        guard self[name]?.arrayValue != nil else { throw noArray(name, tokens.offset) }
        return Container(
            range: tokens.offset..<member.upperBound, children: document?.elementRanges(of: name) ?? [])
    }

    private func noArray(_ name: String, _ place: Int) -> JSONFault {
        JSONFault(place: JSONTokens(bytes, isJSON5: true).place(at: place), problem: "'\(name)' is no array")
    }

    /// Turns a member that is an empty object into an empty array.
    private mutating func makeArray(of name: String) throws(JSONFault) {
        guard let end = document?.memberRange(name)?.upperBound else { return }
        try take(bytes[..<(end - 2)] + Array("[]".utf8) + bytes[end...])
    }

    /// Inserts text at the end of an object or array.
    ///
    /// - Parameters:
    ///   - isOneLine: Whether to stay on the line; nil to keep the present layout.
    ///   - indent: The indentation; nil for that of the last child.
    private mutating func insert(
        into container: Container, isOneLine: Bool? = nil, indent: [UInt8]? = nil,
        _ make: (_ isOneLine: Bool, _ indent: [UInt8]) -> [UInt8]
    ) throws(JSONFault) {
        let close = container.range.upperBound - 1
        let isOneLine = isOneLine ?? !bytes[container.range].contains(where: Self.isLineEnd)
        let ranges = container.children
        let indent = indent ?? indentation(of: ranges.last)
        // After the last content, even if that is a comment, so that the new text has its own line.
        let place = end(before: close)
        var text = isOneLine ? Array((ranges.isEmpty ? "" : " ").utf8) : newline + indent
        text += make(isOneLine, indent)
        guard let last = ranges.last else { return try take(bytes[..<place] + text + bytes[place...]) }
        if try comma(behind: last.upperBound) != nil {
            return try take(bytes[..<place] + text + Array(",".utf8) + bytes[place...])
        }
        let end = last.upperBound
        try take(bytes[..<end] + Array(",".utf8) + bytes[end..<place] + text + bytes[place...])
    }

    /// Removes every member of a name, with its comma and white space.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package mutating func remove(_ name: String) throws(JSONFault) -> Bool {
        guard var others = document?.value.objectValue, others[name] != nil else { return false }
        others[name] = nil
        // Each iteration removes one member.
        while let document, let range = document.memberRange(name) {
            try take(without: range, of: document.memberRanges) { $0.has(others, besides: name) }
        }
        return true
    }

    /// Removes a range.
    ///
    /// - Parameter isRight: Whether the resulting text is correct.
    private mutating func take(
        without range: Range<Int>, of siblings: [Range<Int>], _ isRight: (JSONEditor) -> Bool
    ) throws(JSONFault) {
        let bare = try text(without: range, of: siblings, from: end(before: range.lowerBound))
        // The line end before the range may end a comment. If the text is wrong without it, it is kept.
        if let editor = try? JSONEditor(bare), isRight(editor) {
            self = editor
        } else {
            self = try JSONEditor(text(without: range, of: siblings, from: range.lowerBound))
        }
    }

    private func has(_ others: JSONObject, besides name: String) -> Bool {
        var object = document?.value.objectValue
        object?[name] = nil
        return object == others
    }

    /// - Parameter start: The start of the white space to remove before the range.
    private func text(
        without range: Range<Int>, of siblings: [Range<Int>], from start: Int
    ) throws(JSONFault) -> [UInt8] {
        if let comma = try comma(behind: range.upperBound) {
            // For the first item of a line, the space after its comma goes too.
            let isLed = end(before: range.lowerBound) < range.lowerBound
            let isFollowed = comma + 1 < bytes.count && bytes[comma + 1] == UInt8(ascii: " ")
            let next = !isLed && isFollowed ? comma + 2 : comma + 1
            return Array(bytes[..<start] + bytes[range.upperBound..<comma] + bytes[next...])
        }
        let before = siblings.last { $0.upperBound <= range.lowerBound }
        guard let before, let comma = try comma(behind: before.upperBound) else {
            return Array(bytes[..<start] + bytes[range.upperBound...])
        }
        return Array(bytes[..<comma] + bytes[(comma + 1)..<max(start, comma + 1)] + bytes[range.upperBound...])
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) throws(JSONFault) {
        self = try JSONEditor(Array(bytes))
    }

    // MARK: Positions

    /// Returns the position of the comma after a value, skipping white space and comments; nil if there is none.
    private func comma(behind place: Int) throws(JSONFault) -> Int? {
        var tokens = JSONTokens(bytes, isJSON5: true)
        tokens.skip(place)
        try tokens.skipSpace()
        return tokens.peek == UInt8(ascii: ",") ? tokens.offset : nil
    }

    /// Returns the end of the text before a position, without trailing white space.
    private func end(before place: Int) -> Int {
        var place = place
        while place > 0, Self.isSpace(bytes[place - 1]) { place -= 1 }
        return place
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || isLineEnd(byte) }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// The line ending of this text.
    private var newline: [UInt8] {
        guard let first = bytes.firstIndex(where: Self.isLineEnd), bytes[first] == 0x0D else { return [0x0A] }
        return first + 1 < bytes.count && bytes[first + 1] == 0x0A ? [0x0D, 0x0A] : [0x0D]
    }

    /// Returns the indentation of a member that starts its line; otherwise two spaces.
    private func indentation(of member: Range<Int>?) -> [UInt8] {
        guard let member else { return [0x20, 0x20] }
        let blanks = bytes[..<member.lowerBound].reversed().prefix { $0 == 0x20 || $0 == 0x09 }
        let start = member.lowerBound - blanks.count
        return start > 0 && Self.isLineEnd(bytes[start - 1]) ? Array(blanks.reversed()) : [0x20, 0x20]
    }

    // MARK: Formatting

    private static func text(
        _ name: String, _ value: JSONObject, isOneLine: Bool, newline: [UInt8], indent: [UInt8]
    ) -> [UInt8] {
        let head = text(.string(name)) + Array(": {".utf8)
        let members = value.map { text(.string($0.key)) + Array(": ".utf8) + text($0.value) }
        if isOneLine || members.isEmpty { return head + members.joined(separator: Array(", ".utf8)) + Array("}".utf8) }
        let inner = newline + indent + (indent.isEmpty ? [0x20, 0x20] : indent)
        let lines = members.joined(separator: Array(",".utf8) + inner)
        return head + inner + lines + newline + indent + Array("}".utf8)
    }

    /// Formats a value as a person would, with short values on one line.
    private static func lines(_ value: JSONValue, newline: [UInt8], indent: [UInt8]) -> [UInt8] {
        let flat = text(value)
        guard flat.count > mostOnALine, let members = value.objectValue, !members.isEmpty else { return flat }
        let inner = indent + [0x20, 0x20]
        var parts: [[UInt8]] = []
        for (name, value) in members.map({ ($0.key, $0.value) }) {
            parts.append(text(.string(name)) + Array(": ".utf8) + lines(value, newline: newline, indent: inner))
        }
        var all: [UInt8] = [UInt8(ascii: "{")]
        all += newline + inner
        all += Array(parts.joined(separator: [UInt8(ascii: ",")] + newline + inner))
        all += newline + indent + [UInt8(ascii: "}")]
        return all
    }

    private static let mostOnALine = 100

    private static func text(_ value: JSONValue) -> [UInt8] {
        var json = JSONWriter()
        json.value(value)
        return Array(json.bytes)
    }
}
