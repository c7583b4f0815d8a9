import HarkClient
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite("Texts that name earlier answers, and questions that depend on these (K2, K3)")
struct RetoldTextTests {
    private static func questions(_ answer: String) -> String {
        #"{"id":"a","type":"single","question":"Which?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]},"#
            + #"{"id":"b","type":"single","question":"Why \#(answer)?","options":[{"value":"1","label":"As \#(answer) is good"},{"value":"2","label":"No"}]},"#
            + #"{"id":"c","type":"text","question":"Else?","placeholder":"On \#(answer)","required":false}"#
    }

    private static func survey(_ answer: String) -> ShownSurvey {
        Surveys.make("questions", questions(answer), #","route":["a"]"#)
    }

    @Test("the next page has the texts that the daemon tells then, and answers stay")
    func retelling() {
        var form = SurveyForm(Self.survey("…"))
        form.fields[0].restore(.string("x"))
        form.fields[1].restore(.string("2"))
        form.fields[2].restore(.string("a draft "))
        let before = form.fields[1].texts
        #expect(form.advance(along: ["a", "b"], Self.survey("X").questions) == nil)
        #expect(form.fields[1].prompt == "Why X?" && form.fields[1].texts != before)
        #expect(form.fields[1].value == .string("2") && form.fields[2].draft == .string("a draft "))
        let kept = form
        #expect(form.advance(along: ["a", "b"], Self.survey("X").questions) == .submit)
        #expect(form.fields == kept.fields)
    }

    @Test("by lines too, and what is passed over is not asked")
    func lines() {
        var dialog = PlainDialog(SurveyForm(Self.survey("…")))
        #expect(dialog.take("2") == ("", .keep))
        let next = dialog.advance(along: ["a", "b"], Self.survey("Y").questions)
        #expect(next.text.contains("Why Y?\n") && next.text.contains("1) As Y is good"), "\(next.text)")
        var other = PlainDialog(SurveyForm(Self.survey("…")))
        _ = other.take("1")
        let passed = other.advance(along: ["a", "c"], Self.survey("X").questions)
        #expect(passed.text.contains("Else?") && !passed.text.contains("Why"))
    }

    @Test("terminal escapes in a text are shown, not obeyed")
    func escapes() {
        let survey = Self.survey(#"\u001b[2Jgone"#)
        var form = SurveyForm(survey)
        form.show(page: 1)
        let text = PlainDialog(form).question
        #expect(text.contains(#"Why \e[2Jgone?"#) && !text.contains("\u{1B}"), "\(text)")
    }

    @Test("the codebook says when a question is asked")
    func codebook() {
        let survey = SurveyVersions(
            "s",
            [
                DefinitionPage(
                    JSONText(
                        #"{"current":{"title":"T","message":"M","responseType":"questions","questions":[{"id":"a","type":"text","question":"A?"},"#
                            + #"{"id":"b","type":"text","question":"B?","when":"answer.a = 'x|y'"}]},"definitions":[],"next":null}"#
                    ))
            ])
        #expect(CodebookText(Codebook(survey)).text.contains("\nIt is asked if: answer.a = 'x\\|y'\n"))
    }
}
