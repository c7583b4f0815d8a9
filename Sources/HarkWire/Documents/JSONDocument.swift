/// A parsed JSON text: its value, and the position of each part.
///
/// This is the exact parser, for what people and servers write; requests have a faster one. Members keep their order,
/// `1` and `1.0` differ, and errors have a position. Time and memory are linear in the size of the text.
package struct JSONDocument: Sendable {
    package enum Dialect: Sendable {
        /// RFC 8259, as servers write it.
        case json
        /// JSON5, as people write it: comments, trailing commas, unquoted names and single-quoted strings.
        case json5
    }

    /// The maximum nesting. Parsing is recursive, so deeper texts are refused.
    package static let maxNesting = 128

    package let value: JSONValue
    /// Members that repeat a name in the same object, with JSON paths and positions. The first member counts.
    package let duplicates: [(path: String, place: TextPlace)]
    private let text: [UInt8]
    /// The places of the value and all nested values, by position.
    private let places: [Place]

    /// The start of a value or its member, and the index of the next value that is not nested in it.
    struct Place: Sendable {
        let offset: Int
        /// The end, after the last byte.
        var end = 0
        var next = 0
        /// Whether an earlier member of the object has the same name. The earlier one counts.
        var isRepetition = false
    }

    /// - Throws: The first error of the text.
    package init(_ text: [UInt8], _ dialect: Dialect) throws(JSONFault) {
        var reader = JSONDocumentReader(text, dialect)
        value = try reader.document()
        places = reader.places
        let lines = TextLines(text)
        duplicates = reader.duplicates.map { [places] in ($0.path, lines.place(at: places[$0.number].offset)) }
        self.text = text
    }

    /// Returns the positions of the values at JSON paths, or of the innermost enclosing values that exist.
    package func places(of paths: [String]) -> [TextPlace] {
        let lines = TextLines(text)
        return paths.map { lines.place(at: offset(of: $0)) }
    }

    /// The range of the value without surrounding white space and comments.
    var range: Range<Int> { places[0].offset..<places[0].end }

    /// The ranges of the members of the root object, including names and repeated members.
    var memberRanges: [Range<Int>] { value.objectValue == nil ? [] : childRanges(of: 0) }

    private func childRanges(of number: Int) -> [Range<Int>] {
        let end = number == 0 ? places.count : places[number].next
        var ranges: [Range<Int>] = []
        var child = number + 1
        while child < end {
            ranges.append(places[child].offset..<places[child].end)
            child = places[child].next
        }
        return ranges
    }

    /// Returns the range of the root object's member with that name; nil if there is none.
    func memberRange(_ name: String) -> Range<Int>? {
        memberNumber(name).map { places[$0].offset..<places[$0].end }
    }

    /// Returns the ranges of the elements of an array member.
    func elementRanges(of name: String) -> [Range<Int>] {
        guard value[name]?.arrayValue != nil, let number = memberNumber(name) else { return [] }
        return childRanges(of: number)
    }

    private func memberNumber(_ name: String) -> Int? {
        guard let object = value.objectValue else { return nil }
        var child = 1
        for member in object {
            while places[child].isRepetition { child = places[child].next }
            if member.key.utf8.elementsEqual(name.utf8) { return child }
            child = places[child].next
        }
        return nil
    }

    private func offset(of path: String) -> Int {
        var value = value
        var number = 0
        var rest = ArraySlice(path.utf8).dropFirst()
        while let step = step(along: rest, in: value, at: number) {
            (value, number) = (step.value, step.child)
            rest = rest.dropFirst(step.length)
        }
        return places[number].offset
    }

    /// Returns the child at the first step of a path: its number, its value, and the length of the step.
    private func step(
        along path: ArraySlice<UInt8>, in value: JSONValue, at number: Int
    ) -> (child: Int, value: JSONValue, length: Int)? {
        var child = number + 1
        switch value {
        case .array(let elements):
            guard path.first == UInt8(ascii: "["), let end = path.firstIndex(of: UInt8(ascii: "]")),
                let index = Int(String(decoding: path[(path.startIndex + 1)..<end], as: UTF8.self)),
                elements.indices.contains(index)
            else { return nil }
            for _ in 0..<index { child = places[child].next }
            return (child, elements[index], end + 1 - path.startIndex)
        case .object(let object) where !path.isEmpty:
            let step = Self.firstStep(of: path)
            for member in object {
                while places[child].isRepetition { child = places[child].next }
                if JSONPath.isStep(step, to: member.key) { return (child, member.value, step.count) }
                child = places[child].next
            }
            return nil
        default: return nil
        }
    }

    /// Returns the first member step of a path: `.name` or `["name"]`.
    private static func firstStep(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in zip(path.indices, path).dropFirst() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ".") where !isQuoted, UInt8(ascii: "[") where !isQuoted: return path[..<index]
            default: break
            }
        }
        return path
    }
}

/// A position in a text, as editors count.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The column in Unicode characters, from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

extension TextPlace: Comparable {
    package static func < (one: TextPlace, other: TextPlace) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

/// The starts of a text's lines.
struct TextLines {
    private let text: [UInt8]
    private let starts: [Int]

    init(_ text: [UInt8]) {
        self.text = text
        starts = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    func place(at offset: Int) -> TextPlace {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let column = 1 + text[starts[low]..<offset].count { $0 & 0xC0 != 0x80 }
        return TextPlace(line: low + 1, column: column)
    }
}

/// The first error of a text that is not valid JSON.
package struct JSONFault: Error, Sendable, Equatable {
    package let place: TextPlace
    package let problem: String

    package init(place: TextPlace, problem: String) {
        self.place = place
        self.problem = problem
    }

    /// The error message without the position.
    package var message: String { "this is not JSON: \(problem)" }
}
