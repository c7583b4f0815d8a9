import HarkWire

/// The record of one question in the packed text of `ShowingTimes`: `["question",shown,changes,first,last]`, without
/// spaces.
///
/// Each showing has a few and a million are read at a time, so there is a reader for this text alone.
struct PackedItem {
    let question: Slice<UnsafeBufferPointer<UInt8>>
    let shown: Int64
    let changes: Int64
    let firstAnswer: Int64?
    let lastAnswer: Int64?

    /// Calls `body` for each item of an array.
    ///
    /// - Returns: whether the whole text could be read.
    static func forEach(in text: UnsafeBufferPointer<UInt8>, _ body: (PackedItem) -> Void) -> Bool {
        // Few ids need an escape.
        if text.contains(UInt8(ascii: "\\")) { return forEachEscaped(in: text, body) }
        var reader = PackedReader(text: text)
        guard reader.take("[") else { return false }
        guard !reader.take("]") else { return reader.isAtEnd }
        while true {
            guard reader.take("["), let question = reader.plainString(), reader.take(","),
                case let shown?? = reader.number(), reader.take(","), case let changes?? = reader.number(),
                reader.take(","),
                let first = reader.number(), reader.take(","), let last = reader.number(), reader.take("]")
            else { return false }
            body(
                PackedItem(question: question, shown: shown, changes: changes, firstAnswer: first, lastAnswer: last))
            if reader.take("]") { return reader.isAtEnd }
            guard reader.take(",") else { return false }
        }
    }

    private static func forEachEscaped(in text: UnsafeBufferPointer<UInt8>, _ body: (PackedItem) -> Void) -> Bool {
        guard let items = try? JSONDocument(Array(text), .json).value.arrayValue else { return false }
        return items.allSatisfy { item in
            guard let parts = item.arrayValue, parts.count == 5, var question = parts[0].stringValue,
                let shown = parts[1].intValue, let changes = parts[2].intValue
            else { return false }
            question.withUTF8 { id in
                body(
                    PackedItem(
                        question: id[...], shown: shown, changes: changes, firstAnswer: parts[3].intValue,
                        lastAnswer: parts[4].intValue))
            }
            return true
        }
    }
}
