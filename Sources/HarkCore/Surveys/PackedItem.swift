/// What one question of a showing took, as it lies in the packed text of `ShowingTimes`: `["question",shown,changes,first,last]`, without
/// spaces.
///
/// Each showing has a few, and a million of them are read at a time: that is why there is a reader for this text alone.
struct PackedItem {
    let question: Slice<UnsafeBufferPointer<UInt8>>
    let shown: Int64
    let changes: Int64
    let firstAnswer: Int64?
    let lastAnswer: Int64?

    /// Hands each item of an array to `body`.
    ///
    /// - Returns: whether all of it was understood; a question whose id has an escape is not.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (PackedItem) -> Void) -> Bool {
        var reader = Reader(rest: text[...])
        guard reader.take("[") else { return false }
        guard !reader.take("]") else { return reader.rest.isEmpty }
        while true {
            guard reader.take("["), let question = reader.plainString(), reader.take(","),
                case let shown?? = reader.number(), reader.take(","), case let changes?? = reader.number(),
                reader.take(","),
                let first = reader.number(), reader.take(","), let last = reader.number(), reader.take("]")
            else { return false }
            body(
                PackedItem(question: question, shown: shown, changes: changes, firstAnswer: first, lastAnswer: last))
            if reader.take("]") { return reader.rest.isEmpty }
            guard reader.take(",") else { return false }
        }
    }

    private struct Reader {
        var rest: Slice<UnsafeBufferPointer<UInt8>>

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func plainString() -> Slice<UnsafeBufferPointer<UInt8>>? {
            guard take("\""),
                let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }),
                rest[end] == UInt8(ascii: "\"")
            else { return nil }
            let text = rest[..<end]
            rest = rest[(end + 1)...]
            return text
        }

        /// A whole number, or null; nil for anything else.
        mutating func number() -> Int64?? {
            if rest.starts(with: "null".utf8) {
                rest.removeFirst(4)
                return .some(nil)
            }
            let isNegative = take("-")
            let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            // As many as cannot overflow.
            guard (1...18).contains(digits.count) else { return nil }
            rest.removeFirst(digits.count)
            let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return .some(isNegative ? -number : number)
        }
    }
}
