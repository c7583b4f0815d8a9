import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// The output for a terminal, and its look where the terminal has few characters.
@Suite struct TerminalTextTests {
    @Test("colours and line ends of the tool's own pass, everything else that a terminal obeys is escaped")
    func own() {
        let text = "\u{1B}[1;31mbad\u{1B}[0m\n\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}1m\u{7F}\u{202E}é\r"
        #expect(
            TerminalText.make(text, glyphs: .all)
                == "\u{1B}[1;31mbad\u{1B}[0m\n\\e]0;title\\x07\\e[2J\\x9b1m\\x7f\\u{202e}é\\r")
        #expect(TerminalText.make("\u{1B}[", glyphs: .all) == "\\e[")
        // A file gets no colours, and nothing else to obey.
        #expect(TerminalText.make(text, glyphs: nil) == "bad\n\\e]0;title\\x07\\e[2J\\x9b1m\\x7f\\u{202e}é\\r")
    }

    @Test("JSON keeps its meaning when it is made harmless")
    func json() throws {
        let value: JSONValue = .string("a\u{7F}b\u{9B}c\u{202E}d\u{200F}e\u{61C}f\u{2066}g\u{FEFF}\u{1B}\n😀é")
        let text = VisibleText.json(value.description)
        #expect(!text.unicodeScalars.contains(where: VisibleText.isHidden))
        #expect(text.contains("\\u007f") && text.contains("\\u009b") && text.contains("\\u202e"))
        #expect(try JSONDocument(Array(text.utf8), .json).value == value)
        #expect(VisibleText.json("{\n  \"a\": 1\n}") == "{\n  \"a\": 1\n}")
    }

    @Test("where there is ASCII only, signs are spelled in as many columns")
    func ascii() {
        #expect(TerminalText.make("✓ a · b…\n✗ ████▌", glyphs: .ascii) == "+ a - b...\nx #####")
        #expect(TerminalText.make("✓ …", glyphs: .all) == "✓ …")
        // Texts that people wrote stay unchanged.
        #expect(TerminalText.make("Größe 日本", glyphs: .ascii) == "Größe 日本")
    }

    @Test(
        "which signs a terminal has is told by its name, the locale, or HARK_ASCII",
        arguments: [
            (["TERM": "xterm-256color", "LANG": "de_DE.UTF-8"], false), (["TERM": "xterm", "LC_ALL": "C.utf8"], false),
            (["TERM": "xterm", "LANG": "C"], true), (["TERM": "xterm"], true),
            (["TERM": "xterm", "LANG": "en_US.UTF-8", "LC_ALL": "POSIX"], true),
            (["TERM": "xterm", "LANG": "C", "LC_CTYPE": "en_US.UTF-8", "LC_ALL": ""], false),
            (["TERM": "linux", "LANG": "C.UTF-8"], true), (["TERM": "vt220", "LANG": "C.UTF-8"], true),
            (["TERM": "dumb", "LANG": "C.UTF-8"], true), (["LANG": "C.UTF-8"], false),
            (["TERM": "xterm", "LANG": "C.UTF-8", "HARK_ASCII": "1"], true),
            (["TERM": "linux", "LANG": "C", "HARK_ASCII": "0"], false),
        ] as [([String: String], Bool)])
    func choice(_ variables: [String: String], _ isASCII: Bool) {
        #expect(Glyphs.ofTerminal { variables[$0] }.isASCII == isASCII, "\(variables)")
    }

    @Test("a form in ASCII has none but the words of people", arguments: [(80, 24), (40, 15), (20, 8)])
    func form(columns: Int, rows: Int) {
        for survey in [Surveys.options, Surveys.combined, Surveys.questions] {
            var form = TerminalForm(survey)
            form.size = TerminalSize(rows: rows, columns: columns)
            let lines = SurveyScreen(form, glyphs: .ascii).frame.lines.map(\.text)
            #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, "\(lines)")
        }
    }

    @Test("what was kept of a text is drawn without what a terminal obeys")
    func drawn() {
        var screen = Screen(coloured: false)
        let drawn = screen.update(to: ScreenFrame(lines: [StyledLine("a\u{1B}]0;x\u{7}\u{9B}\u{202E}b")]))
        #expect(drawn.hasSuffix("a\\e]0;x\\x07\\x9b\\u{202e}b"))
    }
}
