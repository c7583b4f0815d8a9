import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// A terminal shows the texts of images instead of the images.
@Suite struct QuestionImageScreenTests {
    private static let lunch = Surveys.make(
        "questions",
        #"{"id":"plan","type":"note","question":"The new counter.","required":false,"image":"/p.png","alt":"A plan"},"#
            + #"{"id":"lunch","type":"single","question":"What did you take?","required":true,"#
            + #""image":"/l.png","alt":"Two \u001b[31m bowls","options":["#
            + #"{"value":"Soup","label":"Suppe","image":"/s.png","alt":"A red bowl"},"#
            + #"{"value":"Salad","label":"Salat","image":"/g.png","alt":"Salat"},{"value":"None","label":"None"}]}"#,
        #","route":["plan","lunch"]"#)

    private func text(_ form: TerminalForm) -> String {
        var form = form
        form.size = TerminalSize(rows: 24, columns: 60)
        return SurveyScreen(form).frame.lines.map(\.text).joined(separator: "\n")
    }

    @Test("the text of an image stands below the question and beside the option, without control characters")
    func screen() {
        var form = TerminalForm(Self.lunch)
        #expect(text(form).contains("[Image: A plan]"))
        #expect(form.press(.enter) == .keep && form.advance(along: ["plan", "lunch"]) == nil)
        let page = text(form)
        #expect(page.contains("[Image: Two \\e[31m bowls]"), "\(page)")
        #expect(page.contains("Suppe (A red bowl)") && !page.contains("Salat (Salat)"), "\(page)")
        #expect(form.press(.character("1")) == nil)
        #expect(form.fields[1].value == "Soup")
    }

    @Test("line by line too, and a label alone answers")
    func lines() {
        var dialog = PlainDialog(SurveyForm(Self.lunch))
        #expect(dialog.opening.contains("The new counter.\n[Image: A plan]\n"))
        let passed = dialog.passNote()
        #expect(passed?.action == .keep)
        let next = dialog.advance(along: ["plan", "lunch"])
        #expect(next.text.contains("What did you take?\n[Image: Two \\e[31m bowls]\n"), "\(next.text)")
        #expect(next.text.contains("  1) Suppe (A red bowl)\n  2) Salat\n  3) None\n"), "\(next.text)")
        #expect(dialog.take("suppe") == ("", .keep))
        #expect(dialog.form.fields[1].value == "Soup")
    }
}
