/// What some editors and programs write before a text. It is no part of it.
package enum ByteOrderMark {
    package static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The bytes of a text without the mark before them.
    package static func dropped<Bytes: RangeReplaceableCollection<UInt8>>(from text: Bytes) -> Bytes.SubSequence {
        text.starts(with: utf8) ? text.dropFirst(utf8.count) : text[...]
    }

    /// What a text is in that begins so, where that is not UTF-8; nil where nothing says so.
    package static func otherEncoding(of text: some Collection<UInt8>) -> String? {
        text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) ? "UTF-16" : nil
    }
}
