import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// A form on the screen, as a state machine (rows Q1, Q2, O1, O4, O5).
@Suite struct FillingTests {
    /// Applies the daemon's reply after the answer of the page was kept.
    private func keep(_ form: inout TerminalForm, _ reply: FormReply) {
        form.update(reply, now: 0)
        #expect(form.advance(along: form.route) == nil)
    }

    @Test("Q2: one question a page, with how far it is; previous is disabled on the first, next on the last")
    func ends() {
        var form = TerminalForm(filling: FormReplies.make(submissions: ""))
        #expect(form.shows("0 of 3 Questions Answered"))
        #expect(form.shows("Question 1 of 3"))
        #expect(form.shows("    Previous        Submit      [ Next ]"))
        #expect(form.press(.control("p")) == nil)
        #expect(form.pageNumber == 0)
        _ = form.press(.control("n"), .control("n"))
        #expect(form.shows("Question 3 of 3"))
        #expect(form.shows("[ Previous ]      Submit        Next"))
        #expect(form.press(.control("n")) == nil)
        #expect(form.pageNumber == 2)
        _ = form.press(.tab, .enter)
        #expect(form.shows("Question 2 of 3"))
    }

    @Test("Q2: an empty answer cannot be submitted; what is written is kept while moving about")
    func submit() {
        var form = TerminalForm(filling: FormReplies.make(submissions: ""))
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "Write something first.")
        form.type(" ")
        #expect(!form.buttons.contains { $0.focus == .send && $0.isEnabled })
        form.type("Blue")
        #expect(form.shows("[ Submit ]"))
        _ = form.press(.control("n"), .character("2"), .control("p"))
        #expect(form.shows("│  Blue"))
        #expect(form.press(.control("d")) == .send)
        #expect(form.press(.tab, .enter) == .send)
        _ = form.press(.control("n"))
        #expect(form.shows("2  [x] Walks"))
    }

    @Test("Q1: success is a green banner that goes after three seconds, and the answer is final")
    func success() {
        var form = TerminalForm(filling: FormReplies.make(submissions: ""))
        form.type("Blue")
        form.update(
            FormReplies.make(answers: #""colour":"Blue""#, submissions: FormReplies.submission("colour", "sending")),
            now: 10)
        #expect(form.shows("Sending …"))
        #expect(form.filling?.banner == nil)
        #expect(form.focus == .forward)
        form.update(
            FormReplies.make(
                answers: #""colour":"Blue""#, submissions: FormReplies.submission("colour", "submitted"), next: "tried",
                answered: 1), now: 10)
        #expect(form.shows("1 of 3 Questions Answered"))
        #expect(form.shows("✓ Success!"))
        #expect(SurveyScreen(form).frame.lines.flatMap(\.spans).contains { $0.look == .goodBanner })
        form.filling?.tick(now: 12.9)
        #expect(form.shows("Success!"))
        form.filling?.tick(now: 13)
        #expect(!form.shows("Success!"))
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "This answer was submitted, and is final.")
        form.type("x")
        #expect(form.current.value == "Blue")
        #expect(form.shows("    Previous        Submit    ▸ [ Next ]"))
    }

    @Test("Q1: failure is an orange banner with a retry, which stays; the focus is back where it can be tried again")
    func failure() {
        var form = TerminalForm(filling: FormReplies.make(submissions: ""))
        form.type("Blue")
        form.update(
            FormReplies.make(answers: #""colour":"Blue""#, submissions: FormReplies.submission("colour", "sending")),
            now: 10)
        form.update(
            FormReplies.make(
                answers: #""colour":"Blue""#,
                submissions: FormReplies.submission("colour", "failed", problem: "it said no (HTTP 400)")), now: 10)
        form.filling?.tick(now: 1_000)
        #expect(form.shows("✗ Failure.... it said no (HTTP 400). Ctrl-R tries again."))
        #expect(SurveyScreen(form).frame.lines.flatMap(\.spans).contains { $0.look == .warningBanner })
        #expect(form.focus == .send)
        #expect(form.press(.control("r")) == .retry("colour"))
        _ = form.press(.control("n"))
        #expect(form.shows("(question 1). Ctrl-R tries again."))
        #expect(form.press(.control("r")) == .retry("colour"))
        _ = form.press(.control("p"))
        form.type("ish")
        #expect(form.press(.control("d")) == .send)
    }

    @Test("Q3: what waits to be sent, and what nobody knows of, is said")
    func waiting() {
        let queued = FormReplies.submission("colour", "queued", problem: "nobody answers")
        var form = TerminalForm(
            filling: FormReplies.make(answers: #""colour":"Blue""#, submissions: queued, next: "tried"))
        #expect(form.shows("Question 2 of 3"))
        _ = form.press(.control("p"))
        #expect(form.shows("Kept, and sent later. Ctrl-R tries now."))
        #expect(form.press(.control("r")) == .retry("colour"))
        form.update(
            FormReplies.make(
                answers: #""colour":"Blue""#,
                submissions: FormReplies.submission("colour", "unconfirmed", problem: "it took too long")), now: 0)
        #expect(form.shows("Failure.... it took too long; the server may have the answer or not"))
        #expect(form.shows("Unconfirmed: it may have arrived. Ctrl-R sends it again."))
    }

    @Test("O1: Enter behind an answer that is kept opens the next question, which keeps its own choices")
    func keptChoice() {
        var form = TerminalForm(
            filling: FormReplies.make(answers: #""colour":"Blue","tried":["m"]"#, next: "goal", answered: 2))
        let next = form.current
        #expect(form.press(.control("p")) == nil && form.current.id == "tried")
        #expect(form.press(.enter) == nil && form.current == next)
    }

    @Test("O1: several can be chosen, at least one, and the way on is shut until then")
    func several() {
        var form = TerminalForm(filling: FormReplies.make(next: "tried", answered: 1))
        #expect(form.shows("Select all that apply"))
        #expect(form.shows("[ Previous ]      Next"))
        #expect(form.press(.enter) == nil)
        #expect(form.problem == "Choose an answer first.")
        #expect(form.press(.character("1"), .character("3")) == nil)
        #expect(form.shows("[ Previous ]    [ Next ]"))
        #expect(form.press(.enter) == .keep)
        #expect(form.current.value == ["m", "t"])
    }

    @Test(
        "O4: what was kept and is not changed is passed without another word; changed, it is kept anew, forth and back")
    func edit() {
        let answers = #""colour":"Blue","tried":["m"],"goal":"s""#
        var form = TerminalForm(filling: FormReplies.make(answers: answers, next: nil, answered: 3, completed: true))
        #expect(form.pageNumber == 0)
        #expect(form.press(.control("d")) == nil)
        #expect(form.shows("1  [x] Music"))
        _ = form.press(.character("2"))
        #expect(form.press(.control("p")) == .keep)
        keep(
            &form,
            FormReplies.make(
                answers: #""colour":"Blue","tried":["m","w"],"goal":"s""#, next: nil, answered: 3, completed: true))
        #expect(form.pageNumber == 0)
        #expect(form.press(.control("n"), .control("n"), .character("2")) == nil)
        #expect(form.press(.enter) == .keep)
    }

    @Test("O5: after the last question comes the completion message; back leads to the questions")
    func end() {
        var form = TerminalForm(
            filling: FormReplies.make(answers: #""colour":"Blue","tried":["m"]"#, next: "goal", answered: 2))
        #expect(form.shows("[ Previous ]      Finish"))
        #expect(form.press(.character("1"), .enter) == .keep)
        keep(
            &form,
            FormReplies.make(
                answers: #""colour":"Blue","tried":["m"],"goal":"s""#, next: nil, answered: 3, completed: true))
        #expect(form.shows("3 of 3 Questions Answered"))
        #expect(form.shows("All set!"))
        #expect(!form.shows("Question 3"))
        #expect(form.press(.character("b")) == nil)
        #expect(form.shows("Question 3 of 3"))
        #expect(form.press(.tab, .tab, .enter) == nil)
        #expect(form.shows("▸ [ Close ]"))
        #expect(form.press(.enter) == .leave)
    }

    @Test("Esc leaves at once: what was begun is a draft, whether it keeps the rules or not")
    func leave() {
        var form = TerminalForm(filling: FormReplies.make())
        form.type("  Bl")
        #expect(form.draft == KeptDraft(page: "colour", answers: ["colour": "  Bl"]))
        form.type(String(repeating: "x", count: 30))
        #expect(form.press(.escape) == .leave)
        _ = form.press(.control("u"))
        form.type("Blue")
        #expect(form.press(.control("n")) == .keep)
        keep(&form, FormReplies.make(answers: #""colour":"Blue""#, next: "tried", answered: 1))
        #expect(form.draft == KeptDraft(page: "tried"))
        _ = form.press(.character("1"), .character("3"))
        #expect(form.draft == KeptDraft(page: "tried", answers: ["tried": ["m", "t"]]))
    }

    @Test("it opens on the page where one left, with what was begun there and elsewhere; what is final is left alone")
    func drafts() {
        let draft = #"{"page":"goal","answers":{"colour":"  Bl","tried":["w"],"goal":"f"}}"#
        var form = TerminalForm(filling: FormReplies.make(next: "colour", draft: draft))
        #expect(form.shows("Question 3 of 3"))
        #expect(form.shows("2  ● Focus"))
        #expect(form.fields.map(\.draft) == ["  Bl", ["w"], "f"])
        #expect(form.press(.enter) == .keep, "what was chosen then is chosen")
        form = TerminalForm(
            filling: FormReplies.make(
                answers: #""colour":"Blue""#, submissions: FormReplies.submission("colour", "submitted"), next: "tried",
                answered: 1, draft: draft))
        #expect(form.fields.map(\.draft) == ["Blue", ["w"], "f"])
        #expect(form.draft.answers == ["tried": ["w"], "goal": "f"])
    }

    @Test("the daemon is told of a draft at once when the page is turned, and a moment after the last key")
    func keeper() {
        var keeper = DraftKeeper(KeptDraft(page: "a", answers: ["a": "x"]))
        let typed = KeptDraft(page: "a", answers: ["a": "xy"])
        #expect(keeper.dueAt(keeper.kept, now: 1) == nil)
        let due = [1, 1.3, 1.5].map { keeper.isDue(typed, now: $0) }
        #expect(due == [false, false, true])
        #expect(keeper.change(to: typed).map { $0.page == nil && $0.answers.count == 1 } == true)
        let turned = KeptDraft(page: "b", answers: [:])
        let isDueAtOnce = keeper.isDue(turned, now: 2)
        #expect(isDueAtOnce)
        let change = keeper.change(to: turned)
        #expect(change?.page == "b" && change?.answers.first?.0 == "a" && change?.answers.first?.1 == .null)
        keeper.kept = turned
        #expect(keeper.change(to: turned) == nil)
        let isDue = keeper.isDue(typed, now: 9)
        keeper.postpone()
        let isDueAgain = keeper.isDue(typed, now: 1_000)
        #expect(isDue && !isDueAgain)
    }

    @Test("O1: Enter takes nothing that nobody has chosen or pointed at, on the first page or any other")
    func nobodyChose() {
        var form = TerminalForm(filling: FormReplies.make(next: "goal", draft: #"{"page":"goal","answers":{}}"#))
        #expect(form.shows("Question 3 of 3"))
        #expect(form.press(.enter) == nil)
        #expect(form.problem == "Choose an answer first.")
        #expect(form.press(.character(" ")) == nil)
        #expect(form.current.value == nil)
        #expect(form.press(.down, .enter) == .keep)
        #expect(form.current.value == "s")
        form = TerminalForm(filling: FormReplies.make(next: "goal", draft: #"{"page":"goal","answers":{}}"#))
        #expect(form.press(.up, .enter) == .keep)
        #expect(form.current.value == "f")
    }

    @Test("a form that nobody has begun shows what it is about, with a button that begins it")
    func start() {
        var form = TerminalForm(filling: FormReplies.make(draft: nil))
        #expect(form.shows("A title") && form.shows("A message") && form.shows("3 questions"))
        #expect(form.shows("▸ [ Start ]") && !form.shows("Question 1"))
        #expect(form.draft.page == nil)
        #expect(form.press(.character("1")) == nil)
        #expect(!form.shows("Question 1"))
        #expect(form.press(.enter) == nil)
        #expect(form.shows("Question 1 of 3") && form.focus == .field(0))
        #expect(form.draft.page == "colour")
        form = TerminalForm(filling: FormReplies.make(draft: nil))
        #expect(form.press(.escape) == .leave)
    }

    @Test("Q3: an answer nobody knows of is said, and shown, as soon as the form opens")
    func unconfirmed() {
        let submissions = [
            FormReplies.submission("colour", "failed", problem: "HTTP 400"),
            FormReplies.submission("tried", "unconfirmed", problem: "it took too long"),
        ].joined(separator: ",")
        var form = TerminalForm(
            filling: FormReplies.make(
                answers: #""colour":"Blue","tried":["m"]"#, submissions: submissions, next: "goal", draft: nil))
        #expect(form.shows("Question 2 of 3"))
        #expect(form.shows("✗ Failure.... it took too long; the server may have the answer or not."))
        #expect(form.press(.control("r")) == .retry("tried"))
        form = TerminalForm(
            filling: FormReplies.make(
                answers: #""colour":"Blue","tried":["m"]"#, submissions: submissions, next: "goal",
                draft: #"{"page":"goal","answers":{}}"#))
        #expect(form.shows("Question 3 of 3") && form.shows("(question 2). Ctrl-R tries again."))
    }

    @Test("a form whose answers were all submitted begins at its end")
    func completed() {
        let submissions = ["colour", "tried", "goal"].map { FormReplies.submission($0, "submitted") }
        let form = TerminalForm(
            filling: FormReplies.make(
                answers: #""colour":"Blue","tried":["m"],"goal":"s""#, submissions: submissions.joined(separator: ","),
                next: nil, answered: 3, completed: true))
        #expect(form.shows("All set!"))
    }

    @Test(
        "every line fits, whatever the size and the letters",
        arguments: [(20, 5), (30, 16), (80, 24), (10, 3), (200, 60)])
    func sizes(columns: Int, rows: Int) {
        var form = TerminalForm(
            filling: FormReplies.make(
                answers: #""colour":"日本語日本語日本語""#,
                submissions: FormReplies.submission("colour", "failed", problem: "サーバーはいいえと言いました、何度も何度も")))
        for glyphs in [Glyphs.all, .ascii] {
            for _ in 0..<4 {
                let shown = form.rows(columns, rows, glyphs: glyphs)
                #expect(shown.count <= rows)
                #expect(shown.allSatisfy { TextWidth.of($0) <= columns }, "\(shown)")
                _ = form.press(.control("n"))
            }
        }
    }

    @Test("a banner of several lines stands in a block")
    func banner() {
        var form = TerminalForm(filling: FormReplies.make(submissions: ""))
        form.update(
            FormReplies.make(
                answers: #""colour":"Blue""#,
                submissions: FormReplies.submission(
                    "colour", "failed", problem: "the server did not take the answer (HTTP 400), and said so twice")),
            now: 0)
        let lines = SurveyScreen(form).frame.lines.filter { $0.spans.contains { $0.look == .warningBanner } }
        #expect(lines.count == 2)
        #expect(Set(lines.map(\.width)).count == 1)
        #expect(lines.allSatisfy { $0.text.hasPrefix("   ") && !$0.text.hasPrefix("    ") })
    }
}
