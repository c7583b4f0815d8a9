import Testing

@testable import HarkTool

@Suite struct WordWrapTests {
    @Test(
        "lines break between words, and anywhere in what is too long or wide",
        arguments: [
            ("", 5, [""]), ("one two", 10, ["one two"]), ("one two", 3, ["one", "two"]),
            ("one two", 5, ["one", "two"]),
            ("one  two", 4, ["one", "two"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
            ("a abcdefgh", 4, ["a", "abcd", "efgh"]), ("日本語です", 4, ["日本", "語で", "す"]),
            ("see 日本語", 8, ["see 日本", "語"]), ("日", 1, ["日"]), ("a\nb\n", 5, ["a", "b", ""]),
            ("ne\u{301} ne\u{301}", 2, ["ne\u{301}", "ne\u{301}"]),
        ])
    func lines(text: String, width: Int, expected: [String]) {
        #expect(WordWrap.lines(text, width: width) == expected)
    }

    @Test("no character is lost, and no row is wider than it may be but for white space at its end", arguments: 1...12)
    func rows(width: Int) {
        let text = Array("The quick brown 狐が跳ぶ over  a\n\nlazy-lazy-lazy dog 👩‍👩‍👧 e\u{301}nd ")
        let rows = WordWrap.rows(text, width: width)
        #expect(rows.flatMap { Array(text[$0]) } == text.filter { !$0.isNewline })
        for row in rows {
            let seen = text[row.lowerBound..<(text[row].lastIndex { !$0.isWhitespace } ?? row.lowerBound - 1) + 1]
            #expect(TextWidth.of(String(seen)) <= width || seen.count == 1)
        }
    }

    @Test(
        "further rows hang below the text, or a little to the right where there is no room",
        arguments: [
            ("a  ", "one two three", 20, ["a  one two three"]), ("a  ", "one two three", nil, ["a  one two three"]),
            ("a  ", "one two three four five six", 24, ["a  one two three four", "   five six"]),
            (
                "2026-11-21 12:08:00  ", "one two three", 30,
                ["2026-11-21 12:08:00", "               one two three"]
            ),
        ] as [(String, String, Int?, [String])])
    func hanging(head: String, text: String, columns: Int?, expected: [String]) {
        #expect(WordWrap.hanging(head, text, columns: columns) == expected)
    }

    @Test("a colour goes on in the next row, and none is in the indent")
    func coloured() {
        let style = TextStyle(coloured: true)
        let rows = WordWrap.hanging(
            style.dim("k  "), "one " + style.bad("two three four") + " five", columns: 14)
        #expect(
            rows == [
                "\u{1B}[2mk  \u{1B}[0mone \u{1B}[31mtwo\u{1B}[0m", "   \u{1B}[31mthree four\u{1B}[0m", "   five",
            ])
        let text = style.dim("a") + style.bad("b") + "c"
        #expect(StyledText(text).text(of: 0..<3) == text)
        #expect(StyledText(text).width == 3)
    }
}
