import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite struct PlainDialogTests {
    @Test("options are numbered; a number or a label answers, d dismisses, never has it not come again")
    func options() {
        var dialog = PlainDialog(SurveyForm(Surveys.options))
        #expect(
            dialog.opening == """
                A title
                A message

                  1) 😞 Poor
                  2) 🙂 Good
                  3) 😊 Great
                Your choice (d dismisses, never: not again):\(" ")
                """)
        #expect(dialog.take("4") == ("'4' is none of the answers.\nYour choice (d dismisses, never: not again): ", nil))
        #expect(dialog.take("") == ("Choose an answer first.\nYour choice (d dismisses, never: not again): ", nil))
        #expect(dialog.take("D") == ("", .dismiss))
        #expect(dialog.take(" great\r") == ("", .submit))
        #expect(dialog.form.params == #"{"presentationId":"P","option":"Great"}"#)
    }

    @Test("a text is one line that keeps the rules")
    func text() {
        var dialog = PlainDialog(SurveyForm(Surveys.text))
        #expect(dialog.opening.hasSuffix("\n\nYour answer, one line, at most 20 characters: "))
        #expect(dialog.take("abc").text.hasPrefix("Write at least 5 characters, 2 more.\n"))
        #expect(dialog.take("abcdef") == ("", .submit))
        #expect(dialog.refuse("The answer is wrong.").hasPrefix("The answer is wrong.\n\nYour answer"))
        #expect(dialog.form.params == #"{"presentationId":"P","text":"abcdef"}"#)
    }

    @Test("questions go on as the daemon tells")
    func questions() {
        var dialog = PlainDialog(SurveyForm(Surveys.questions))
        #expect(dialog.opening.hasSuffix("\nRecommend it?\nA number from 0 to 10 (d dismisses, never: not again): "))
        #expect(dialog.take("10") == ("", .keep))
        let parts = dialog.advance(along: ["score", "parts"])
        #expect(parts.text.hasSuffix("  3) Export\nYour choices, such as 1,2 (d dismisses, never: not again): "))
        #expect(dialog.take("1").text.hasPrefix("Choose at least 2, not 1.\n"))
        #expect(dialog.take("search, 1") == ("", .keep))
        _ = dialog.advance(along: ["score", "parts", "look"])
        #expect(dialog.take("") == ("", .keep))
        let end = dialog.advance(along: ["score", "parts", "look"])
        #expect(end == ("", .submit))
        #expect(dialog.form.params == #"{"presentationId":"P","answers":{"score":10,"parts":["e","s"]}}"#)
    }
}
