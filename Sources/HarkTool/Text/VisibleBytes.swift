import HarkClient
import HarkWire

/// Does what `VisibleText` does for JSON strings, with a fast path for plain ASCII without escapes.
enum VisibleBytes {
    /// Appends a string on one line.
    ///
    /// - Returns: The number of columns.
    @discardableResult
    static func append(_ string: JSONText, to line: inout [UInt8]) -> Int {
        guard string.isString else { return 0 }
        let content = string.bytes.dropFirst().dropLast()
        guard Plainness(content) != .none else {
            return append(VisibleText.make(string.string ?? ""), to: &line)
        }
        line += content
        return content.count
    }

    /// Appends a string in the form of `key=value`.
    ///
    /// - Returns: The number of columns.
    @discardableResult
    static func append(value string: JSONText, to line: inout [UInt8]) -> Int {
        append(valueOf: string.bytes.dropFirst().dropLast(), to: &line)
    }

    /// Appends a number or any other value as it is spelled.
    static func append(plain value: JSONText, to line: inout [UInt8]) {
        if Plainness(value.bytes) == .none {
            line += VisibleText.make(value.text).utf8
        } else {
            line += value.bytes
        }
    }

    /// Appends the bytes between the quotes of a string in the form of `key=value`.
    @discardableResult
    static func append(valueOf content: ArraySlice<UInt8>, to line: inout [UInt8]) -> Int {
        switch Plainness(content) {
        case .word:
            line += content
            return content.count
        case .text:
            line.append(.quote)
            line += content
            line.append(.quote)
            return content.count + 2
        case .none:
            let text = JSONText([.quote] + content + [.quote]).string ?? ""
            return append(VisibleText.value(text), to: &line)
        }
    }

    private static func append(_ text: String, to line: inout [UInt8]) -> Int {
        line += text.utf8
        return TextWidth.of(text)
    }

    private enum Plainness {
        /// Needs no escaping and no quotes.
        case word
        /// Needs no escaping, but quotes if it is a value.
        case text
        case none

        init(_ content: ArraySlice<UInt8>) {
            self = content.withUnsafeBufferPointer { bytes in
                var isWord = !bytes.isEmpty
                for byte in bytes {
                    guard (0x20..<0x7F).contains(byte), byte != .backslash else { return .none }
                    if byte == 0x20 || byte == UInt8(ascii: "=") { isWord = false }
                }
                return isWord ? .word : .text
            }
        }
    }
}
