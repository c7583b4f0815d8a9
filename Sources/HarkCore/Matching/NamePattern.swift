/// A name, or a pattern in which `*` matches any number of characters.
package struct NamePattern: Sendable, Equatable {
    private let parts: [[UInt8]]
    package let text: String

    package init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// Matches this name alone, in which `*` is a character like any other.
    package static func exactly(_ name: String) -> NamePattern { NamePattern(text: name, parts: [Array(name.utf8)]) }

    private init(text: String, parts: [[UInt8]]) {
        self.text = text
        self.parts = parts
    }

    /// The only name that matches; nil for a pattern with `*`.
    package var only: [UInt8]? { parts.count == 1 ? parts[0] : nil }

    package func matches(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard parts.count > 1, let head = parts.first, let tail = parts.last else {
            return name.elementsEqual(parts.first ?? [])
        }
        guard name.count >= head.count + tail.count, name.starts(with: head),
            name.suffix(tail.count).elementsEqual(tail)
        else { return false }
        // Between the fixed ends, each part is matched at its first position: if any match exists, this finds one.
        var rest = name[head.count..<name.count - tail.count]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = NamePattern.find(part, in: rest) else { return false }
            rest = rest[(place + part.count)...]
        }
        return true
    }

    private static func find(_ part: [UInt8], in text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        part.withUnsafeBufferPointer { part in
            ByteSearch.first(part, in: UnsafeBufferPointer(rebasing: text)).map { text.startIndex + $0 }
        }
    }
}
