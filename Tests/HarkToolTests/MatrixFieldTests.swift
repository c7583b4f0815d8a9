import HarkClient
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// A matrix on a terminal: its rows on one page, one after the other.
@Suite struct MatrixFieldTests {
    private static func row(_ id: String, _ label: String, isRequired: Bool = true) -> String {
        #"{"id":"care.\#(id)","type":"single","question":"\#(label)","required":\#(isRequired),"#
            + #""matrix":{"id":"care","question":"How was this?"},"options":["#
            + #"{"value":"good","label":"Good"},{"value":"bad","label":"Not good"}]}"#
    }

    private static func form(answers: String = "{}", route: String = #"["hello","care.food"]"#) -> TerminalForm {
        TerminalForm(
            Surveys.make(
                "questions",
                #"{"id":"hello","type":"nps","question":"Recommend it?","required":true},"#
                    + "\(row("food", "The food")),\(row("price", "The price", isRequired: false)),\(row("staff", "The staff")),"
                    + #"{"id":"why","type":"text","question":"Why?","required":false}"#,
                #","answers":\#(answers),"route":\#(route)"#))
    }
    private static let long = #"["hello","care.food","care.price","care.staff","why"]"#

    private func text(_ form: TerminalForm, columns: Int) -> String {
        var form = form
        form.size = TerminalSize(rows: 40, columns: columns)
        let lines = SurveyScreen(form).frame.lines.map(\.text)
        #expect(lines.allSatisfy { TextWidth.of($0) <= columns })
        return lines.joined(separator: "\n")
    }

    @Test("its rows are one page, of which the focused one shows the columns", arguments: [20, 40, 80])
    func page(columns: Int) {
        var form = Self.form(answers: #"{"hello":9}"#)
        #expect(form.page == [1, 2, 3] && form.focus == .field(0))
        #expect(form.questionNumber == 2 && form.countOfAll == 3 && !form.isLastPage)
        let first = text(form, columns: columns)
        #expect(first.contains("How was this?") && first.contains("1  ○ Good") && first.contains("2  ○ Not good"))
        #expect(first.components(of: "Good") == 1 && first.components(of: "no answer yet") == 2, "\(first)")
        // Enter goes from row to row, and behind the last to the next page.
        #expect(form.press(.character("2")) == nil && form.press(.enter) == nil && form.focus == .field(1))
        #expect(text(form, columns: columns).contains("● Not good"))
        #expect(form.press(.tab) == nil && form.focus == .field(2))
        #expect(form.press(.character("1")) == nil && form.press(.enter) == .keep)
        let params = String(decoding: form.form.pageAnswer(to: "p").json, as: UTF8.self)
        #expect(params.contains(#""answers":{"care.food":"bad","care.price":null,"care.staff":"good"}"#), "\(params)")
        #expect(form.advance(along: ["hello", "care.food", "care.price", "care.staff", "why"]) == nil)
        #expect(form.page == [4] && form.isLastPage && form.questionNumber == 3 && form.questionCount == 3)
        #expect(form.goBack() == nil && form.page == [1, 2, 3])
        #expect(form.goBack() == nil && form.page == [0])
    }

    @Test("a required row without an answer keeps the page, and has the focus")
    func required() {
        var form = Self.form(answers: #"{"hello":9}"#)
        #expect(form.press(.character("1")) == nil)
        #expect(form.goForward() == nil && form.focus == .field(2) && form.problem != nil)
        // A key on the button means no row.
        form.focus = .forward
        #expect(form.press(.character("2")) == nil && form.fields[1].value == "good")
    }

    @Test("a matrix that is half answered is gone on with, all rows together")
    func half() {
        let form = Self.form(answers: #"{"hello":9,"care.food":"bad"}"#, route: Self.long)
        #expect(form.page == [1, 2, 3] && form.fields[1].value == "bad")
    }

    @Test("line by line, each row is asked for itself, below what is asked of all")
    func plain() {
        var dialog = PlainDialog(Self.form(answers: #"{"hello":9}"#).form)
        #expect(dialog.question.contains("How was this?\nThe food\n  1) Good\n  2) Not good\n"))
        let second = dialog.take("2")
        #expect(second.text.contains("\nThe price\n") && !second.text.contains("How was this?") && second.action == nil)
        let third = dialog.take("")
        #expect(third.text.contains("\nThe staff\n"))
        #expect(dialog.take("good").action == .keep)
    }

    @Test("two matrices that follow each other are two pages")
    func two() {
        let other = Self.row("x", "X").replacing("care", with: "more")
        let form = SurveyForm(Surveys.make("questions", "\(Self.row("a", "A")),\(Self.row("b", "B")),\(other)"))
        let pages = form.questionnaire
        #expect((0..<3).map { pages.places(with: $0) } == [0...1, 0...1, 2...2])
        #expect(pages.page == [0, 1] && pages.countOfAll == 2)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
