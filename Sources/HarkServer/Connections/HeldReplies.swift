import HarkWire

/// Turns replies that were written before their commit into errors, if the commit failed.
///
/// So the successful path needs no bookkeeping: the ids are read back from the replies, which always begin with
/// `{"jsonrpc":"2.0","id":…,"result":`. Replies that are errors already stay as they are.
enum HeldReplies {
    static func refused(_ lines: [UInt8], _ error: WireError) -> [UInt8] {
        var refusals = JSONWriter(reservingCapacity: lines.count)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let behindPrefix = line.dropFirst(prefix.count)
            let id = behindPrefix.prefix(idLength(behindPrefix))
            if behindPrefix.dropFirst(id.count).starts(with: resultKey) {
                Envelope.error(.text(Array(id)), error, in: &refusals)
            } else {
                refusals.raw(line)
                refusals.newline()
            }
        }
        return refusals.bytes
    }

    private static let prefix = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    private static let resultKey = Array(#","result":"#.utf8)

    /// The length of the JSON string, number or null at the beginning of `text`.
    private static func idLength(_ text: ArraySlice<UInt8>) -> Int {
        guard text.first == UInt8(ascii: "\"") else {
            return text.firstIndex(of: UInt8(ascii: ",")).map { $0 - text.startIndex } ?? text.count
        }
        var isEscaped = false
        for (offset, byte) in text.enumerated().dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                return offset + 1
            }
        }
        return text.count
    }
}
