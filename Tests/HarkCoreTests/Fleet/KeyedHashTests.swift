import HarkWire
import Testing

@testable import HarkCore

/// A hash that only who knows the text finds again.
@Suite struct KeyedHashTests {
    /// The bytes 0 to 15.
    private static let key = Identifier(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)

    @Test(
        "it is SipHash-2-4 with 128 bits, as its authors have it",
        arguments: [
            ("", "a3817f04ba25a8e66df67214c7550293"), ("\u{0}", "da87c1d86b99af44347659119b22fc45"),
            ("\u{0}\u{1}", "8177228da4a45dc7fca38bdef60affe4"),
            ("\u{0}\u{1}\u{2}", "9c70b60c5267a94e5f33b6b02985ed51"),
            ("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}", "3b62a9ba6258f5610f83e264f31497b4"),
            ("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}", "264499060ad9baabc47f8b02bb6d71ed"),
        ])
    func vectors(_ text: String, _ hash: String) {
        #expect(KeyedHash(of: text, key: Self.key).description == hash)
    }

    @Test(
        "another text, another normal form and another key have another; it is read as it is written, and nothing else is"
    )
    func differs() {
        let hash = KeyedHash(of: "caf\u{E9}", key: Self.key)
        #expect(hash == KeyedHash(of: "caf\u{E9}", key: Self.key))
        #expect(hash != KeyedHash(of: "cafe\u{301}", key: Self.key))
        #expect(hash != KeyedHash(of: "caf\u{E9}", key: Identifier(high: 1, low: 2)))
        #expect(KeyedHash(hash.description) == hash)
        for text in [
            "", "ada", hash.description.uppercased(), hash.description + "0", String(hash.description.dropLast()),
        ] {
            #expect(KeyedHash(text) == nil)
        }
    }
}
