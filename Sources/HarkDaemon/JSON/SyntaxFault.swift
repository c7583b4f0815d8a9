/// Where a document first goes wrong that is not JSON, and how.
///
/// Foundation's decoder, which reads documents (with comments and trailing commas, JSON5), says nothing about that. This
/// looks at quotes, brackets, commas and words only, in one pass, and only after the decoder has refused.
struct SyntaxFault: Equatable {
    let line: Int
    /// In characters, from 1.
    let column: Int
    let problem: String

    /// - Returns: nil when it is something finer, such as an escape that there is none of.
    init?(in text: [UInt8]) {
        var walk = SyntaxWalk(text)
        guard let (offset, problem) = walk.firstFault() else { return nil }
        let before = text[..<offset]
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = 1 + text[start..<offset].count { $0 & 0xC0 != 0x80 }
        self.problem = problem
    }

    /// What to say about a document that is not JSON.
    static func message(for text: [UInt8]) -> String {
        guard let fault = SyntaxFault(in: text) else { return "this is not JSON" }
        return "this is not JSON: line \(fault.line), column \(fault.column): \(fault.problem)"
    }
}

private struct SyntaxWalk {
    typealias Fault = (offset: Int, problem: String)

    private enum Expected {
        case value, key, colon, comma, end
    }

    private let text: [UInt8]
    private var offset = 0
    /// The brackets that are open.
    private var open: [(offset: Int, isObject: Bool)] = []
    private var expected = Expected.value

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func firstFault() -> Fault? {
        while true {
            if let fault = skipSpace() { return fault }
            guard offset < text.count else { return atEnd }
            if let fault = step(text[offset]) { return fault }
        }
    }

    private var atEnd: Fault? {
        if expected == .end { return nil }
        guard let last = open.last else { return (offset, "there is nothing") }
        let line = 1 + text[..<last.offset].count { $0 == UInt8(ascii: "\n") }
        return (offset, "it ends here, and the \(last.isObject ? "{" : "[") of line \(line) is still open")
    }

    /// One token.
    private mutating func step(_ byte: UInt8) -> Fault? {
        switch byte {
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return close(byte)
        case UInt8(ascii: ","):
            guard expected == .comma, let last = open.last else { return (offset, "there is a comma too many") }
            expected = last.isObject ? .key : .value
        case UInt8(ascii: ":"):
            guard expected == .colon else { return (offset, "there is a colon too many") }
            expected = .value
        default:
            switch expected {
            case .colon: return (offset, "a colon is missing before this")
            case .comma: return (offset, "a comma is missing before this")
            case .end: return (offset, "something follows the end")
            case .value, .key: return begin(byte)
            }
        }
        offset += 1
        return nil
    }

    private mutating func close(_ byte: UInt8) -> Fault? {
        let isObject = byte == UInt8(ascii: "}")
        guard let last = open.last, last.isObject == isObject else {
            return (offset, "this bracket closes nothing that is open")
        }
        // After a comma is allowed, after a colon is not.
        guard expected == .comma || expected == (isObject ? .key : .value) else {
            return (offset, "a value is missing")
        }
        open.removeLast()
        offset += 1
        expected = open.isEmpty ? .end : .comma
        return nil
    }

    /// A value or a key.
    private mutating func begin(_ byte: UInt8) -> Fault? {
        let start = offset
        let isKey = expected == .key
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if isKey { return (offset, "a name is missing") }
            open.append((offset, byte == UInt8(ascii: "{")))
            offset += 1
            expected = byte == UInt8(ascii: "{") ? .key : .value
            return nil
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            if let fault = skipText(byte) { return fault }
        default:
            let word = takeWord()
            guard isKey || Self.isValue(word) else { return (start, "'\(word)' is no value; a text stands in quotes") }
        }
        expected = isKey ? .colon : open.isEmpty ? .end : .comma
        return nil
    }

    private mutating func skipText(_ quote: UInt8) -> Fault? {
        let start = offset
        offset += 1
        while offset < text.count, text[offset] != quote {
            if text[offset] == UInt8(ascii: "\n") { return (start, "this text does not end in its line") }
            // What is escaped may be a quote, or the end of a line.
            offset += text[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard offset < text.count else { return (start, "this text does not end") }
        offset += 1
        return nil
    }

    private mutating func takeWord() -> String {
        let start = offset
        offset += 1
        while offset < text.count, text[offset] > 0x20, !",:{}[]\"'/".utf8.contains(text[offset]) { offset += 1 }
        return String(decoding: text[start..<offset], as: UTF8.self)
    }

    private static func isValue(_ word: String) -> Bool {
        ["true", "false", "null"].contains(word) || word.first.map { "+-.0123456789IN".contains($0) } ?? false
    }

    /// White space and comments.
    private mutating func skipSpace() -> Fault? {
        while offset < text.count {
            if text[offset] <= 0x20 || text[offset...].starts(with: [0xEF, 0xBB, 0xBF]) {
                offset += text[offset] <= 0x20 ? 1 : 3
            } else if text[offset...].starts(with: "//".utf8) {
                offset = text[offset...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            } else if text[offset...].starts(with: "/*".utf8) {
                guard let end = text[(offset + 2)...].firstRange(of: "*/".utf8) else {
                    return (offset, "this comment does not end")
                }
                offset = end.upperBound
            } else {
                return nil
            }
        }
        return nil
    }
}
