/// A JSON text as it was written: its value, and where every part of it stands.
///
/// The exact reader, for what people and servers write; requests have a quicker one. Members keep their order, `1` and
/// `1.0` stay apart, and a fault has a place. It takes time and memory in proportion to the text.
package struct JSONDocument: Sendable {
    package enum Dialect: Sendable {
        /// RFC 8259, as servers write it.
        case json
        /// JSON5, as people write it: comments, trailing commas, names and texts without or in single quotes.
        case json5
    }

    /// Deeper texts are refused: reading one goes down the stack.
    package static let maxNesting = 128

    package let value: JSONValue
    /// Members whose name stood in the same object before: their JSON paths and where they are. The first one counts.
    package let duplicates: [(path: String, place: TextPlace)]
    private let text: [UInt8]
    /// Of the value and all within it, in the order in which they begin.
    private let places: [Place]

    /// Where a value, or the member it belongs to, begins, and the number of the next value that is not within it.
    struct Place: Sendable {
        let offset: Int
        var next = 0
        /// A member of the same name came before in the object, and counts.
        var isRepetition = false
    }

    /// - Throws: the first fault of the text.
    package init(_ text: [UInt8], _ dialect: Dialect) throws(JSONFault) {
        var reader = JSONDocumentReader(text, dialect)
        value = try reader.document()
        places = reader.places
        let lines = TextLines(text)
        duplicates = reader.duplicates.map { [places] in ($0.path, lines.place(at: places[$0.number].offset)) }
        self.text = text
    }

    /// Where the values at JSON paths begin, or the innermost ones around them that there are.
    package func places(of paths: [String]) -> [TextPlace] {
        let lines = TextLines(text)
        return paths.map { lines.place(at: offset(of: $0)) }
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

    /// The child that a path leads to first: its number, value, and how long the step is in the path.
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
        case .object(let object):
            var found: (child: Int, value: JSONValue, length: Int)?
            for member in object {
                while places[child].isRepetition { child = places[child].next }
                // Names may hold dots and brackets: the longest that fits is meant.
                if let length = Self.length(of: member.key, in: path), length > found?.length ?? 0 {
                    found = (child, member.value, length)
                }
                child = places[child].next
            }
            return found
        default: return nil
        }
    }

    /// How long the step to a member is with which a path begins; nil if it begins with another.
    private static func length(of key: String, in path: ArraySlice<UInt8>) -> Int? {
        let inner = path.dropFirst()
        let form: [UInt8]
        if path.first == UInt8(ascii: ".") {
            form = Array(key.utf8)
        } else if inner.first == UInt8(ascii: "'") {
            form = Array("'\(key)']".utf8)
        } else {
            form = Array("\(JSONValue.string(key))]".utf8)
        }
        guard inner.starts(with: form) else { return nil }
        let end = inner.dropFirst(form.count).first
        return end == nil || end == UInt8(ascii: ".") || end == UInt8(ascii: "[") ? 1 + form.count : nil
    }
}

/// A place in a text, as an editor counts.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// In characters of Unicode, from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package var description: String { "line \(line), column \(column)" }
}

/// Where the lines of a text begin.
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

/// Where a text first goes wrong that is not JSON, and how.
package struct JSONFault: Error, Sendable, Equatable {
    package let place: TextPlace
    package let problem: String

    package init(place: TextPlace, problem: String) {
        self.place = place
        self.problem = problem
    }

    /// What to say about the text, without the place.
    package var message: String { "this is not JSON: \(problem)" }
}
