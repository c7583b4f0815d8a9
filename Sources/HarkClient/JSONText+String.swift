import Glibc

extension JSONText {
    /// The bytes of a string, unescaped; nil for other values.
    package var stringBytes: ArraySlice<UInt8>? {
        guard isString, bytes.count >= 2 else { return nil }
        let inner = bytes.dropFirst().dropLast()
        guard inner.contains(.backslash) else { return inner }
        var text: [UInt8] = []
        text.reserveCapacity(inner.count)
        Self.appendUnescaped(inner, to: &text)
        return ArraySlice(text)
    }

    /// Appends a string unescaped, or another value as it is written. Appends nothing for null or for an empty value.
    package static func append(_ value: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        guard let start = value.baseAddress, let first = value.first else { return }
        if first != .quote {
            if !value.elementsEqual("null".utf8) { text.append(contentsOf: value) }
        } else if memchr(start, CInt(UInt8.backslash), value.count) == nil {
            text.append(contentsOf: UnsafeBufferPointer(rebasing: value.dropFirst().dropLast()))
        } else {
            appendUnescaped(ArraySlice(value.dropFirst().dropLast()), to: &text)
        }
    }

    private static func appendUnescaped(_ text: ArraySlice<UInt8>, to result: inout [UInt8]) {
        var at = text.startIndex
        while at < text.endIndex {
            guard text[at] == .backslash, at + 1 < text.endIndex else {
                result.append(text[at])
                at += 1
                continue
            }
            if text[at + 1] == UInt8(ascii: "u") {
                at = appendUnicode(text, at: at, to: &result)
            } else {
                result.append(plainEscape(text[at + 1]))
                at += 2
            }
        }
    }

    private static func plainEscape(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        default: letter
        }
    }

    /// Appends the character of a `\uXXXX` or of a surrogate pair, and returns the position after it. A lone surrogate
    /// becomes U+FFFD.
    private static func appendUnicode(_ text: ArraySlice<UInt8>, at start: Int, to result: inout [UInt8]) -> Int {
        guard let first = codeUnit(text, at: start) else {
            result.append(contentsOf: Unicode.UTF8.replacement)
            return min(start + 6, text.endIndex)
        }
        if UTF16.isLeadSurrogate(first), let second = codeUnit(text, at: start + 6), UTF16.isTrailSurrogate(second) {
            result.append(contentsOf: String(decoding: [first, second], as: UTF16.self).utf8)
            return start + 12
        }
        result.append(contentsOf: String(decoding: [first], as: UTF16.self).utf8)
        return start + 6
    }

    private static func codeUnit(_ text: ArraySlice<UInt8>, at start: Int) -> UInt16? {
        guard start + 6 <= text.endIndex, text[start] == .backslash, text[start + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return UInt16(String(decoding: text[(start + 2)..<(start + 6)], as: UTF8.self), radix: 16)
    }
}

extension Unicode.UTF8 {
    fileprivate static let replacement = Array("\u{FFFD}".utf8)
}
