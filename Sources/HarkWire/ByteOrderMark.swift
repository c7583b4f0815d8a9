/// The mark that some editors and programs write before a text. It is not part of the text.
package enum ByteOrderMark {
    package static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the bytes of a text without the mark.
    package static func dropped<Bytes: RangeReplaceableCollection<UInt8>>(from text: Bytes) -> Bytes.SubSequence {
        text.starts(with: utf8) ? text.dropFirst(utf8.count) : text[...]
    }

    /// Returns the encoding that a mark other than that of UTF-8 indicates; nil if there is none.
    package static func otherEncoding(of text: some Collection<UInt8>) -> String? {
        text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) ? "UTF-16" : nil
    }
}
