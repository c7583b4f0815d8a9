import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite struct SurveyScreenTests {
    private func text(_ form: TerminalForm, glyphs: Glyphs = .all) -> String {
        SurveyScreen(form, glyphs: glyphs).frame.lines.map { line in
            String(line.text.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    @Test("options with their keys and faces, and what the keys do")
    func options() {
        var form = TerminalForm(Surveys.options)
        _ = form.press(.down, .down)
        #expect(
            text(form) == """

                  A title
                  A message

                    1  😞  Poor
                  ▸ 2  🙂  Good
                    3  😊  Great

                  1-3 answer · ↑↓ Enter · Esc dismiss · Ctrl-C later · Ctrl-X never again
                """)
    }

    @Test("thanks for an answer that can be changed name the key for it, also where the row is short")
    func thanks() {
        var form = TerminalForm(SurveyForm(Surveys.options), isThanks: true)
        #expect(
            text(form) == """

                  Thank you!
                  Your answer was saved.

                  Ctrl-E change answer · Enter close
                """)
        form.size = TerminalSize(rows: 5, columns: 24)
        #expect(text(form) == "Thank you!\nYour answer was saved.\nCtrl-E change answer")
        var text = TerminalForm(Surveys.text)
        text.type("Some words")
        #expect(!SurveyScreen(TerminalForm(text.form, isThanks: true)).frame.showsCursor)
    }

    @Test("what is changed has what was answered, and its own way out")
    func changing() {
        var form = TerminalForm(Surveys.options)
        _ = form.press(.character("3"))
        #expect(
            text(form.reopened) == """

                  A title
                  A message

                    1  😞  Poor
                    2  🙂  Good
                  ▸ 3  😊  Great

                  1-3 answer · ↑↓ Enter · Esc leave it as it was
                """)
    }

    @Test("a combined survey on a terminal without pictures")
    func combined() {
        var form = TerminalForm(Surveys.combined)
        form.size = TerminalSize(rows: 24, columns: 40)
        _ = form.press(.character("2"), .enter)
        form.type("日本 and\n")
        _ = form.press(.control("d"))
        #expect(
            text(form, glyphs: .ascii) == """

                  A title
                  A message

                  How was it?

                    1  ( ) Poor
                    2  (*) Good

                  Tell us more
                  +----------------------------------+
                  | 日本 and                         |
                  |                                  |
                  |                                  |
                  +-------------------------- 6/500 -+

                    [ Submit ]

                  Tab next - Ctrl-D send - Esc dismiss
                """)
        let frame = SurveyScreen(form).frame
        #expect(frame.cursor?.row == 12 && frame.cursor?.column == 4)
        #expect(frame.showsCursor)
    }

    @Test("a page of questions has its number and the way back")
    func questions() {
        var form = TerminalForm(Surveys.questions)
        _ = form.press(.character("9"), .enter)
        _ = form.advance(along: ["score", "parts"])
        _ = form.press(.character("2"))
        #expect(
            text(form) == """

                  A title
                  A message

                  Question 2
                  What do you use?
                  Select 2

                    1  [ ] Editor
                  ▸ 2  [x] Search
                    3  [ ] Export

                    [ Back ]    [ Next ]

                  1-3 or Space mark · Enter next · Esc dismiss · Ctrl-C later
                """)
    }

    @Test("the options of a ranking say their places")
    func ranking() {
        var form = TerminalForm(
            Surveys.make(
                "questions",
                #"{"id":"first","type":"ranking","top":2,"question":"What first?","required":true,"options":["#
                    + #"{"value":"a","label":"Lift"},{"value":"b","label":"Stairs"},{"value":"c","label":"Doors"}]}"#))
        _ = form.press(.character("3"), .character("1"))
        let page = text(form)
        for line in ["1  [2] Lift", "2  [ ] Stairs", "3  [1] Doors"] { #expect(page.contains(line), "\(page)") }
    }

    @Test("a number of two digits is typed as it is, and its row and the footer say so")
    func numbers() {
        var form = TerminalForm(Surveys.questions)
        form.size = TerminalSize(rows: 24, columns: 60)
        let shown = text(form)
        #expect(shown.contains("    9   ○\n    10  ○\n") && shown.contains("0-10 choose"), "\(shown)")
        #expect(!text(form).contains("    a "))
    }

    @Test("a small window begins at the top, follows the focus, and can be scrolled by hand")
    func small() {
        var form = TerminalForm(Surveys.combined)
        form.size = TerminalSize(rows: 5, columns: 20)
        #expect(text(form) == "A title\nA message\nHow was it?\n  1  ○ Poor\nPgUp/PgDn ⋮")
        _ = form.press(.down, .down)
        #expect(text(form) == "A message\nHow was it?\n  1  ○ Poor\n▸ 2  ○ Good\nPgUp/PgDn ⋮")
        _ = form.press(.pageDown)
        #expect(text(form) == "▸ 2  ○ Good\nTell us more\n▏\n  0/500\nPgUp/PgDn ⋮")
        _ = form.press(.pageDown, .pageDown)
        #expect(text(form) == "Tell us more\n▏\n  0/500\n  [ Submit ]\nPgUp/PgDn ⋮")
        _ = form.press(.pageUp, .pageUp, .pageUp)
        #expect(text(form) == "A title\nA message\nHow was it?\n  1  ○ Poor\nPgUp/PgDn ⋮")
        _ = form.press(.control("d"))
        #expect(text(form) == "A message\nHow was it?\n  1  ○ Poor\n▸ 2  ○ Good\nChoose an answer fir")
    }

    @Test("control characters in a survey's texts are shown and do nothing")
    func controls() {
        let form = TerminalForm(
            Surveys.make(
                "options",
                #"{"id":"option","type":"single","question":"","options":[{"value":"x","label":"a\u001b[2Jb"}]}"#))
        #expect(text(form).contains("1  a\\e[2Jb"))
    }

    @Test("only rows that changed are written, all of them after the screen was lost, and no colours if unwanted")
    func updates() {
        var screen = Screen(coloured: true)
        var frame = ScreenFrame()
        frame.lines = [StyledLine("one", .bold), StyledLine("two"), StyledLine("three")]
        #expect(
            screen.update(to: frame)
                == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[K\u{1B}[1mone\u{1B}[0m\u{1B}[2;1H\u{1B}[Ktwo"
                + "\u{1B}[3;1H\u{1B}[Kthree")
        frame.lines = [StyledLine("one", .bold), StyledLine("2")]
        frame.cursor = (1, 0)
        frame.showsCursor = true
        #expect(
            screen.update(to: frame) == "\u{1B}[?25l\u{1B}[2;1H\u{1B}[K2\u{1B}[3;1H\u{1B}[K\u{1B}[2;1H\u{1B}[?25h")
        screen.forget()
        #expect(screen.update(to: frame).contains("one"))
        var plain = Screen(coloured: false)
        #expect(!plain.update(to: frame).contains("\u{1B}[1m"))
    }
}
