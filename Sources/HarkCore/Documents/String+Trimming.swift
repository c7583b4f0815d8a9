extension String {
    /// The text without leading and trailing white space (as Unicode defines it, line ends included).
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Whether the text holds `||`, which separates option and text in a combined answer.
    var hasDoubleBar: Bool {
        var isBehindBar = false
        for byte in utf8 {
            guard byte == UInt8(ascii: "|") else {
                isBehindBar = false
                continue
            }
            if isBehindBar { return true }
            isBehindBar = true
        }
        return false
    }

    /// Whether the text holds a line end, in any form that Unicode defines.
    var hasLineEnd: Bool {
        unicodeScalars.contains { (0x0A...0x0D).contains($0.value) || [0x85, 0x2028, 0x2029].contains($0.value) }
    }
}
