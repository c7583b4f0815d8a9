extension String {
    /// The text without white space (as Unicode has it, line ends included) at both ends.
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// Whether it holds what parts option and text in a combined answer.
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

    /// Whether it holds the end of a line, by any name that Unicode has for one.
    var hasLineEnd: Bool {
        unicodeScalars.contains { (0x0A...0x0D).contains($0.value) || [0x85, 0x2028, 0x2029].contains($0.value) }
    }
}
