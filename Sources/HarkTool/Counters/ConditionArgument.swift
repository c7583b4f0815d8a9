import HarkClient
import HarkWire

/// A condition as it is given on a command line: `opens>=3 and plan=pro`, or the JSON of the protocol.
enum ConditionArgument {
    private static let operators: [(text: String, word: String)] = [
        (">=", "gte"), ("<=", "lte"), ("!=", "ne"), ("==", "eq"), (">", "gt"), ("<", "lt"), ("=", "eq"),
    ]

    static func json(_ text: String) throws(ToolError) -> [UInt8] {
        let value = JSONText(text)
        if value.isObject { return try ValueArgument.json(text) }
        var writer = JSONWriter()
        let parts = parts(value.text)
        if parts.count == 1 {
            try write(parts[0], to: &writer)
            return writer.bytes
        }
        writer.beginObject()
        writer.key("all")
        writer.beginArray()
        for part in parts { try write(part, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// One comparison as an object; or `changed opens`, which asks which counter it is.
    private static func write(_ part: [String], to writer: inout JSONWriter) throws(ToolError) {
        if part.count == 2, part[0] == "changed", !part[1].contains(where: { "=<>!".contains($0) }) {
            writer.beginObject()
            writer.key("changed")
            writer.beginArray()
            writer.string(part[1])
            writer.endArray()
            writer.endObject()
            return
        }
        let (name, word, operand) = try comparison(part)
        writer.beginObject()
        writer.key(name)
        writer.beginObject()
        writer.member("op", word)
        writer.key("value")
        writer.raw(operand)
        writer.endObject()
        writer.endObject()
    }

    /// What stands between the words `and`.
    private static func parts(_ text: String) -> [[String]] {
        text.split(whereSeparator: \.isWhitespace).map(String.init)
            .split(separator: "and", omittingEmptySubsequences: false).map(Array.init)
    }

    private static func comparison(
        _ words: [String]
    ) throws(ToolError) -> (name: String, word: String, operand: [UInt8]) {
        let text = words.joined(separator: " ")
        // The first operator there is counts: what follows it is the value, whatever it holds.
        let found = operators.compactMap { operation in
            text.firstRange(of: operation.text).map { (range: $0, word: operation.word) }
        }
        guard
            let first = found.min(by: {
                ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
            })
        else { throw malformed(text) }
        let name = trimmed(text[..<first.range.lowerBound])
        let value = trimmed(text[first.range.upperBound...])
        // "=>" is a slip, not a text that begins with ">".
        guard !name.isEmpty, let start = value.first, !"=<>!".contains(start) else { throw malformed(text) }
        if let or = words.lastIndex(of: "or"), (try? comparison(Array(words[(or + 1)...]))) != nil {
            throw .usage(
                "'or' joins nothing here",
                hint: #"Write it as JSON: {"any": [{"opens": 3}, {"shares": {"op": "gte", "value": 2}}]}."#)
        }
        return (name, first.word, try ValueArgument.json(value))
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    private static func malformed(_ text: String) -> ToolError {
        .usage(
            "'\(VisibleText.make(text))' is no condition",
            hint: "Write 'opens>=3', with >= > = != < <=, several joined by 'and', or the JSON of docs/counters.md.")
    }
}
