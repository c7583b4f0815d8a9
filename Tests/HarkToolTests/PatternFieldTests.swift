import HarkClient
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// The form of a text, where it is written.
@Suite struct PatternFieldTests {
    private static func form(_ members: String) -> TerminalForm {
        TerminalForm(
            Surveys.make(
                "questions",
                #"{"id":"zip","type":"text","question":"Your ZIP code?","required":true,"maxLength":250,"#
                    + #""pattern":"[0-9]{5}"\#(members)}"#,
                #","route":["zip"]"#))
    }

    @Test("a line that has another form is not left, and the author says why")
    func line() {
        var form = Self.form(#","patternMessage":"Five digits, please.""#)
        form.type("1234")
        #expect(form.press(.enter) == nil && form.problem == "Five digits, please.")
        form.type("5")
        #expect(form.press(.enter) == .keep)
        #expect(form.fields[0].value == "12345")
    }

    @Test("without words of the author's, Hark has a sentence")
    func usual() {
        var form = Self.form("")
        form.type("x")
        #expect(form.press(.enter) == nil && form.problem == "Write the answer in the requested form.")
    }

    @Test("a line of a pipe is checked likewise")
    func plain() {
        var dialog = PlainDialog(Self.form(#","patternMessage":"Five digits, please.""#).form)
        let (text, action) = dialog.take("1234")
        #expect(text.hasPrefix("Five digits, please.\n") && action == nil)
        #expect(dialog.take("12345").action == .keep)
    }
}
