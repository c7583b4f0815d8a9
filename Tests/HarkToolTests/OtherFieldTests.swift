import HarkClient
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// The option "Other" on a terminal, with the line for its text.
@Suite struct OtherFieldTests {
    private static func form(_ type: String, answers: String = "{}", route: String = #"["came","why"]"#) -> TerminalForm
    {
        TerminalForm(
            Surveys.make(
                "questions",
                #"{"id":"came","type":"\#(type)","question":"How did you come?","required":true,"options":["#
                    + #"{"value":"bus","label":"By bus"},{"value":"foot","label":"On foot"},"#
                    + #"{"value":"other","label":"Other","other":true}]},"#
                    + #"{"id":"came.other","type":"text","question":"Other","of":"came","required":true,"maxLength":250},"#
                    + #"{"id":"why","type":"text","question":"Why?","required":false}"#,
                #","answers":\#(answers),"route":\#(route)"#))
    }
    private static let long = ["came", "came.other", "why"]

    private func text(_ form: TerminalForm, columns: Int) -> String {
        var form = form
        form.size = TerminalSize(rows: 24, columns: columns)
        let lines = SurveyScreen(form).frame.lines.map(\.text)
        #expect(lines.allSatisfy { TextWidth.of($0) <= columns })
        return lines.joined(separator: "\n")
    }

    @Test("the line comes with the option, on the same page, and has the focus next", arguments: [40, 80])
    func keys(columns: Int) {
        var form = Self.form("single")
        #expect(form.page == [0] && form.questionNumber == 1 && !text(form, columns: columns).contains("0/250"))
        #expect(form.press(.character("3")) == nil && form.page == [0, 1])
        #expect(text(form, columns: columns).contains("0/250"))
        #expect(form.press(.enter) == nil && form.focus == .field(1))
        // It is no answer without a text.
        #expect(form.press(.enter) == nil && form.problem == "Write something first.")
        form.type("By boat")
        #expect(form.press(.enter) == .keep)
        let params = String(decoding: form.form.pageAnswer(to: "p").json, as: UTF8.self)
        #expect(params.contains(#""answers":{"came":"other","came.other":"By boat"}"#), "\(params)")
        // Where answers are not kept page by page, both are tried before the daemon has sent the route.
        for tried in [
            form.form.answer(to: "p", isTried: true).json,
            form.form.change(of: "p", isTried: true).json,
        ] {
            #expect(String(decoding: tried, as: UTF8.self).contains(#"{"came":"other","came.other":"By boat""#))
        }
        #expect(form.advance(along: Self.long) == nil && form.page == [2] && form.questionNumber == 2)
        #expect(form.isLastPage && form.questionCount == 2)
        // Back to both.
        #expect(form.goBack() == nil && form.page == [0, 1])
        let answer = String(decoding: form.form.answer(to: "p").json, as: UTF8.self)
        #expect(answer.contains(#""came.other":"By boat""#))
    }

    @Test("another option takes the line away, and the text is not sent")
    func another() {
        var form = Self.form(
            "single", answers: #"{"came":"other","came.other":"Boat"}"#, route: #"["came","came.other","why"]"#)
        #expect(form.page == [2])
        #expect(form.goBack() == nil && form.page == [0, 1])
        form.focus = .field(1)
        #expect(form.press(.up) == nil)
        form.focus = .field(0)
        #expect(form.press(.character("1")) == nil && form.page == [0] && form.focus == .field(0))
        #expect(form.goForward() == .keep)
        #expect(form.advance(along: ["came", "why"]) == nil && form.page == [2])
        let params = String(decoding: form.form.answer(to: "p").json, as: UTF8.self)
        #expect(params.contains(#""answers":{"came":"bus"}"#), "\(params)")
    }

    @Test("of several, it stands among the others, and an answer that is half there is gone on with")
    func several() {
        var form = Self.form("multiple", answers: #"{"came":["bus","other"]}"#, route: #"["came","came.other"]"#)
        // The question was answered, and its text was not.
        #expect(form.page == [0, 1] && form.fields[0].value == ["bus", "other"])
        #expect(form.goForward() == nil && form.focus == .field(1))
        form.type("Boat")
        #expect(form.goForward() == .keep)
    }

    @Test("line by line, the text is asked behind the option")
    func plain() {
        var dialog = PlainDialog(Self.form("single").form)
        let (text, action) = dialog.take("3")
        #expect(text.contains("Other\nYour answer, one line, at most 250 characters") && action == nil)
        let empty = dialog.take("")
        #expect(empty.text.hasPrefix("Write something first.") && empty.action == nil)
        #expect(dialog.take("Boat").action == .keep)
        var other = PlainDialog(Self.form("single").form)
        #expect(other.take("By bus").action == .keep)
    }
}
