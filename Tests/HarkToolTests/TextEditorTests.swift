import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite struct TextEditorTests {
    @Test("a mark joins the letter before it, and both go with one key")
    func marks() {
        var editor = TextEditor()
        for text in ["n", "e", "\u{301}", "x"] { editor.insert(text) }
        #expect(editor.characters == ["n", "e\u{301}", "x"])
        #expect(editor.cursor == 3)
        editor.moveLeft()
        editor.deleteBackward()
        #expect(editor.text == "nx")
        #expect(editor.cursor == 1)
    }

    @Test("a family of emoji typed scalar by scalar is one character")
    func joined() {
        var editor = TextEditor()
        for scalar in "👩‍👩‍👧".unicodeScalars { editor.insert(String(Character(scalar))) }
        #expect(editor.characters.count == 1)
        #expect(editor.cursor == 1)
    }

    @Test("pasted line ends become line ends, tabs spaces, and other control characters nothing")
    func paste() {
        var editor = TextEditor("<>")
        editor.moveLeft()
        editor.insert("a\r\nb\rc\td\u{1B}[31me\u{0}")
        #expect(editor.text == "<a\nb\nc d[31me>")
        #expect(editor.cursor == editor.characters.count - 1)
    }

    @Test("words and lines are moved over and deleted")
    func words() {
        var editor = TextEditor("one two  three\nfour")
        editor.moveWordLeft()
        #expect(editor.cursor == 15)
        editor.moveWordLeft()
        #expect(editor.cursor == 9)
        editor.deleteWord()
        #expect(editor.text == "one three\nfour")
        editor.deleteToLineEnd()
        #expect(editor.text == "one \nfour")
        editor.deleteToLineStart()
        #expect(editor.text == "\nfour")
        editor.moveWordRight()
        #expect(editor.cursor == 5)
        editor.moveToLineStart()
        #expect(editor.cursor == 1)
        editor.deleteForward()
        editor.moveToLineEnd()
        #expect(editor.text == "\nour")
        #expect(editor.cursor == 4)
    }

    @Test("nothing happens at the ends")
    func ends() {
        var editor = TextEditor()
        editor.deleteBackward()
        editor.deleteForward()
        editor.deleteWord()
        editor.moveLeft()
        editor.moveRight()
        editor.moveWordLeft()
        editor.moveWordRight()
        let up = editor.moveRows(-1, width: 10)
        let down = editor.moveRows(1, width: 10)
        #expect(editor == TextEditor())
        #expect(!up && !down)
    }

    @Test("up and down go by the rows that are seen and keep the column")
    func rows() {
        var editor = TextEditor("hello wide world\nend")
        // hello wide / world / end
        var moved = editor.moveRows(-1, width: 10)
        #expect(moved && editor.cursor == 14)
        moved = editor.moveRows(-1, width: 10)
        #expect(moved && editor.cursor == 3)
        moved = editor.moveRows(-1, width: 10)
        #expect(!moved && editor.cursor == 3)
        editor.moveToLineEnd()
        moved = editor.moveRows(1, width: 10)
        #expect(moved && editor.cursor == 20)
    }
}
