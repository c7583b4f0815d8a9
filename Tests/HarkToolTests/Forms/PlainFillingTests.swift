import Testing

@testable import HarkAsking
@testable import HarkTool

/// A form that is filled in line by line.
@Suite struct PlainFillingTests {
    @Test("the questions are numbered; < goes back, q leaves, and what was answered is offered again")
    func local() {
        var dialog = PlainDialog(SurveyForm(filling: FormReplies.make()))
        #expect(
            dialog.opening == """
                A title
                A message
                0 of 3 Questions Answered

                Question 1 of 3
                Your favourite colour?
                Your answer, one line, at most 20 characters:\(" ")
                """)
        #expect(dialog.take("").text.hasPrefix("Write something first.\n"))
        #expect(dialog.take("Blue") == ("", .keep))
        dialog.form.update(FormReplies.make(answers: #""colour":"Blue""#, next: "tried", answered: 1), now: 0)
        let second = dialog.advance(along: dialog.form.route)
        #expect(
            second.text == """

                Question 2 of 3
                What have you tried?
                Select all that apply
                  1) Music
                  2) Walks
                  3) Tea
                Your choices, such as 1,2 (< back, q leaves):\(" ")
                """)
        let back = dialog.take("<")
        #expect(back.action == nil)
        #expect(back.text.contains("Now: Blue. An empty line leaves it so.\n"))
        #expect(dialog.take("").text.contains("Question 2 of 3"))
        #expect(dialog.take("5").text.hasPrefix("'5' is none of the answers.\n"))
        #expect(dialog.take("q") == ("", .leave))
        #expect(dialog.take("1, tea") == ("", .keep))
    }

    @Test("the last answer ends it")
    func end() {
        var dialog = PlainDialog(
            SurveyForm(filling: FormReplies.make(answers: #""colour":"Blue","tried":["m"]"#, next: "goal", answered: 2))
        )
        #expect(dialog.take("focus") == ("", .keep))
        dialog.form.update(
            FormReplies.make(
                answers: #""colour":"Blue","tried":["m"],"goal":"f""#, next: nil, answered: 3, completed: true), now: 0)
        #expect(dialog.advance(along: dialog.form.route) == ("", nil))
        #expect(dialog.ending == .answered)
    }

    @Test("Q1: what was submitted is told; what was not can be tried again, passed or answered anew")
    func remote() {
        var dialog = PlainDialog(SurveyForm(filling: FormReplies.make(submissions: "")))
        func told(_ state: String, _ problem: String? = nil, answered: Int = 0) -> FormReply {
            FormReplies.make(
                answers: #""colour":"Blue""#, submissions: FormReplies.submission("colour", state, problem: problem),
                next: "tried", answered: answered)
        }
        #expect(dialog.take("Blue") == ("", .send))
        dialog.form.update(told("failed", "HTTP 400"), now: 0)
        var next = dialog.goOn()
        #expect(
            next.text == "Failure.... HTTP 400.\nAn empty line tries again, > goes on, another answer takes its place: "
        )
        #expect(dialog.take("") == ("", .retry("colour")))
        next = dialog.goOn()
        #expect(next.text.hasPrefix("Failure.... HTTP 400.\n"))
        #expect(dialog.take("Green") == ("", .send))
        dialog.form.update(told("submitted", answered: 1), now: 0)
        next = dialog.goOn()
        #expect(next.text.hasPrefix("Success! 1 of 3 Questions Answered\n\nQuestion 2 of 3\n"))
        #expect(dialog.ending == nil)
    }

    @Test("Q3: an answer that waits to be sent is passed, and said in the end")
    func waiting() {
        let queued = ["colour", "tried", "goal"].map { FormReplies.submission($0, "queued", problem: "away") }
        var dialog = PlainDialog(
            SurveyForm(
                filling: FormReplies.make(
                    answers: #""colour":"Blue","tried":["m"]"#, submissions: queued[0...1].joined(separator: ","),
                    next: "goal")))
        #expect(dialog.take("1") == ("", .send))
        dialog.form.update(
            FormReplies.make(
                answers: #""colour":"Blue","tried":["m"],"goal":"s""#, submissions: queued.joined(separator: ","),
                next: nil), now: 0)
        #expect(dialog.goOn().text == "Failure.... away; it is kept, and sent later.\n")
        #expect(dialog.ending == .waiting)
    }
}
