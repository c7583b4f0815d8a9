import Testing

@testable import HarkTool

@Suite struct KeyDecoderTests {
    private static let sequences: [(String, [TerminalKey])] = [
        ("a", [.character("a")]), ("é日😀", [.character("é"), .character("日"), .character("😀")]),
        ("e\u{301}", [.character("e"), .character("\u{301}")]),
        ("\r\n\t", [.enter, .enter, .tab]), ("\u{7F}\u{8}", [.backspace, .backspace]),
        ("\u{3}\u{4}\u{1A}", [.control("c"), .control("d"), .control("z")]),
        ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}OD", [.up, .down, .right, .left]),
        ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end]),
        ("\u{1B}[5~\u{1B}[6~\u{1B}[3~\u{1B}[Z", [.pageUp, .pageDown, .delete, .backTab]),
        ("\u{1B}[1;5C\u{1B}[1;3Dx", [.wordRight, .wordLeft, .character("x")]),
        ("\u{1B}[1;2Cx", [.right, .character("x")]),
        ("\u{1B}b\u{1B}f\u{1B}\r", [.wordLeft, .wordRight, .enter]),
        // Sequences without a meaning are dropped whole: F5, a mouse, F1 of the Linux console, Alt with a letter.
        ("\u{1B}[15~\u{1B}[<0;3;4M\u{1B}[[A\u{1B}x\u{1B}éy", [.character("y")]),
        // Alt with a cursor key, where the terminal puts another Esc before it.
        ("\u{1B}\u{1B}[Ax", [.up, .character("x")]),
        ("\u{1B}[200~a\r\n\u{1B}[A b\u{1B}[201~c", [.paste("a\r\n\u{1B}[A b"), .character("c")]),
    ]

    @Test("keys are what the terminal sent, however its bytes are cut", arguments: sequences)
    func cutAnywhere(text: String, expected: [TerminalKey]) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.feed(bytes[..<cut]) + decoder.feed(bytes[cut...])
            #expect(keys == expected, "cut at \(cut)")
            #expect(!decoder.isUndecided)
        }
        var decoder = KeyDecoder()
        #expect(bytes.flatMap { decoder.feed([$0]) } == expected)
    }

    @Test("an Esc that nothing follows is the key")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x1B]) == [])
        #expect(decoder.isUndecided)
        #expect(decoder.settle() == [.escape])
        #expect(!decoder.isUndecided)
        #expect(decoder.feed([0x1B, 0x1B]) == [])
        #expect(decoder.settle() == [.escape, .escape])
    }

    @Test(
        "noise makes no keys and does not stick",
        arguments: [
            [0xFF], [0xC3], [0xE2, 0x82], [0x00], [0x1C], [0x1B, 0x5B], [0x1B, 0x4F], [0xC2, 0x85], [0xC0, 0xAF],
        ]
            as [[UInt8]])
    func noise(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        #expect(decoder.feed(bytes) + decoder.settle() == [])
        #expect(decoder.feed(Array("a".utf8)) == [.character("a")])
    }

    @Test("a sequence that is broken off does not swallow what follows")
    func brokenOff() {
        var decoder = KeyDecoder()
        #expect(decoder.feed(Array("\u{1B}[1\u{1B}[A".utf8)) == [.up])
        #expect(decoder.feed([0xE2, 0x82] + Array("x".utf8)) == [.character("x")])
        let endless = Array("\u{1B}[".utf8) + [UInt8](repeating: UInt8(ascii: "1"), count: 100)
        #expect(decoder.feed(endless) == [])
        #expect(decoder.feed(Array("a".utf8)) == [.character("a")])
    }
}
