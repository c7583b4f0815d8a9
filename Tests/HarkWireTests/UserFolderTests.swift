import HarkWire
import Testing

/// The folder of a user in the archive tree (row E7).
@Suite struct UserFolderTests {
    @Test(
        "E7: an id that is a harmless name keeps it",
        arguments: ["user-123", "a", "0", "ada.lovelace_1815", String(repeating: "x", count: 64), "anon2"])
    func plain(_ id: String) {
        #expect(UserFolder.name(for: id) == id)
    }

    @Test("E7: nobody in particular is anon")
    func anonymous() {
        #expect(UserFolder.name(for: nil) == "anon")
    }

    /// The digits were computed elsewhere: FNV-1a, 128 bits.
    @Test(
        "E7: any other id is cleaned and told apart by its hash",
        arguments: [
            ("", "~6c62272e07bb014262b821756295c58d"),
            ("..", "_.~08809491a1ab1be95aa073305548c005"),
            ("/", "_~d228cb69251a8caf78912b704e4a2e56"),
            ("\0", "_~d228cb69101a8caf78912b704e4a147f"),
            ("a/b", "a_b~a68d62d6fd8b5822836dbc79781849e9"),
            ("a_b~", "a_b_~69706f6201757277b806e976a8d5ac7d"),
            ("Ada", "ada~a68cd29dca8b5822836dbc793d2c13fb"),
            ("anon", "anon~696f8f71c8757277b806e9764cb46c77"),
            ("ANON", "anon~6883f07ac8757277b806e92e1c5b1cb7"),
            (".hidden", "_hidden~023db5a71e4ff78c72c725d686331c5d"),
            ("user name", "user_name~f36ea1909c0668f91a108b7be9098075"),
            ("é", "__~088093bf9eab1be95aa0733054c70821"),
            (
                String(repeating: "x", count: 65),
                String(repeating: "x", count: 40) + "~e09d1c9073eb86771c3233a27c7d3d77"
            ),
            (
                String(repeating: "a", count: 300),
                String(repeating: "a", count: 40) + "~ef07127be1f9b7ddba57177fce2a24d9"
            ),
        ])
    func cleaned(_ id: String, _ folder: String) {
        #expect(UserFolder.name(for: id) == folder)
    }

    /// Ids that a careless scheme would put into one folder, or outside of any.
    static let awkward: [String?] =
        [
            nil, "", "anon", "Anon", "ANON", "anon ", "_", "__", ".", "..", "...", "/", "//", "../..", "a/b", "a_b",
            "a b",
            "a\\b", "a\0b", "a\nb", "A_B", "caf\u{e9}", "cafe\u{301}", "CAFÉ", "-rf", "~", "~root", "user", "User",
            "uSER",
            String(repeating: "a", count: 63), String(repeating: "a", count: 64), String(repeating: "a", count: 65),
            String(repeating: "a", count: 300), String(repeating: "A", count: 300), String(repeating: "é", count: 300),
            String(repeating: "a", count: 64) + "1", String(repeating: "a", count: 64) + "2",
            "a~d228cb696f1a8caf78912b704e4a8964", "con", "👩‍👩‍👧", "\u{202e}evil",
        ]

    @Test(
        "E7: every name is safe: one part of a path, short, printable, neither hidden nor an option", arguments: awkward
    )
    func safe(_ id: String?) {
        let name = UserFolder.name(for: id)
        #expect(name.utf8.count <= 73)
        #expect(name.first.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "~" } == true)
        #expect(
            name.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\") })
        #expect(name == name.lowercased())
    }

    @Test("E7: no two ids share a folder, not even on a file system that ignores case")
    func distinct() {
        let names = Self.awkward.map { UserFolder.name(for: $0).lowercased() }
        #expect(Set(names).count == Self.awkward.count)
    }
}
