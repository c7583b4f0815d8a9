import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite struct SurveyFormTests {
    @Test("choosing an option is answering: by its key, or by arrows and Enter")
    func options() {
        var form = TerminalForm(Surveys.options)
        #expect(form.press(.character("2")) == .submit)
        #expect(form.params == #"{"presentationId":"P","option":"Good"}"#)
        form = TerminalForm(Surveys.options)
        #expect(form.press(.down, .down, .down, .up) == nil)
        #expect(form.press(.enter) == .submit)
        #expect(form.params == #"{"presentationId":"P","option":"Good"}"#)
        #expect(form.press(.character("4")) == nil)
    }

    @Test("Enter and Space answer nothing that nobody has chosen or pointed at")
    func nobodyChose() {
        var form = TerminalForm(Surveys.options)
        #expect(form.press(.enter) == nil)
        #expect(form.problem == "Choose an answer first.")
        #expect(form.press(.character(" ")) == nil)
        #expect(form.press(.up, .character(" ")) == .submit)
        form = TerminalForm(Surveys.questions)
        #expect(form.press(.enter) == nil)
        #expect(form.problem == "Choose an answer first.")
        form = TerminalForm(Surveys.combined)
        #expect(form.press(.enter) == nil)
        #expect(form.focus == .field(0) && form.fields[0].value == nil)
    }

    @Test("an answer that is opened again and left stays as it was")
    func reopened() {
        var form = TerminalForm(Surveys.options)
        #expect(form.press(.character("2")) == .submit)
        form = form.reopened
        #expect(form.press(.escape) == .leave && form.press(.control("c")) == .leave)
        #expect(form.press(.control("x")) == nil && form.asks == nil)
        #expect(form.changeParams == #"{"presentationId":"P","answers":{"option":"Good"}}"#)
        #expect(form.press(.character("3")) == .submit)
        #expect(form.changeParams == #"{"presentationId":"P","answers":{"option":"Great"}}"#)
    }

    @Test("what is taken out of an answer is named, and pages are gone through from the first")
    func changing() {
        var form = TerminalForm(Surveys.combined)
        _ = form.press(.character("2"), .enter)
        form.type("ab")
        form = form.reopened
        _ = form.press(.tab, .backspace, .backspace)
        #expect(form.press(.control("d")) == .submit)
        #expect(form.changeParams == #"{"presentationId":"P","answers":{"option":"Good","text":null}}"#)
        form = TerminalForm(Surveys.questions)
        #expect(form.press(.character("9"), .enter) == .keep)
        #expect(form.advance(along: ["score", "parts"]) == nil)
        #expect(form.press(.character("1"), .character("2"), .tab, .tab, .enter) == .keep)
        #expect(form.advance(along: ["score", "parts"]) == .submit)
        form = form.reopened
        #expect(form.page == [0] && form.shownFields[0].value == 9 && !form.hasBack)
        #expect(form.changeParams == #"{"presentationId":"P","answers":{"score":9,"parts":["e","s"]}}"#)
        // With text in it, Esc asks nothing: the sent answer is safe.
        #expect(form.press(.escape) == .leave && form.asks == nil)
    }

    @Test("numbers are chosen by their own digit, and what comes after 9 by letters")
    func keys() {
        let numbers = (1...5).reversed().map { #"{"value":"\#($0)","label":"\#($0)"}"# }.joined(separator: ",")
        var form = TerminalForm(
            Surveys.make("options", #"{"id":"option","type":"single","question":"","options":[\#(numbers)]}"#))
        #expect(form.press(.character("5")) == .submit)
        #expect(form.params.hasSuffix(#""option":"5"}"#))
        let words = (1...12).map { #"{"value":"w\#($0)","label":"w\#($0)"}"# }.joined(separator: ",")
        form = TerminalForm(
            Surveys.make("options", #"{"id":"option","type":"single","question":"","options":[\#(words)]}"#))
        #expect(form.press(.character("C")) == .submit)
        #expect(form.params.hasSuffix(#""option":"w12"}"#))
    }

    @Test("a text is sent when it keeps the rules; the one it does not is said")
    func text() {
        var form = TerminalForm(Surveys.text)
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "Write something first.")
        form.type("  abc ")
        #expect(form.problem == nil)
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "Write at least 5 characters, 2 more.")
        form.type("defghijklmnopqrstuvwxyz")
        #expect(form.press(.tab, .enter) == nil)
        #expect(form.problem == "Write at most 20 characters, 7 fewer.")
        #expect(form.focus == .field(0))
        for _ in 0..<7 { _ = form.press(.backspace) }
        #expect(form.press(.tab, .enter) == .submit)
        #expect(form.params == #"{"presentationId":"P","text":"abc defghijklmnopqrs"}"#)
    }

    @Test("length counts characters as a person sees them")
    func graphemes() {
        var form = TerminalForm(Surveys.text)
        _ = form.press(.paste("👩‍👩‍👧👩‍👩‍👧e\u{301}🇩🇪"))
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "Write at least 5 characters, 1 more.")
        form.type("!")
        #expect(form.press(.control("d")) == .submit)
    }

    @Test("an empty text is sent where the survey allows it")
    func emptyText() {
        var form = TerminalForm(
            Surveys.make("text", #"{"id":"text","type":"text","question":"","required":false,"minLength":5}"#))
        #expect(form.press(.control("d")) == .submit)
        #expect(form.params == #"{"presentationId":"P","text":""}"#)
    }

    @Test("a combined survey is sent by its button only")
    func combined() {
        var form = TerminalForm(Surveys.combined)
        #expect(form.press(.control("d")) == nil)
        #expect(form.problem == "Choose an answer first.")
        #expect(form.press(.character("2")) == nil)
        #expect(form.press(.enter) == nil)
        #expect(form.focus == .field(1))
        #expect(form.press(.character("1"), .enter, .character("x")) == nil)
        #expect(form.press(.tab) == nil)
        #expect(form.focus == .forward)
        #expect(form.press(.enter) == .submit)
        #expect(form.params == #"{"presentationId":"P","option":"Good","text":"1\nx"}"#)
    }

    @Test("a combined survey without text sends the option alone, and the keys of choices work from the button")
    func combinedWithoutText() {
        var form = TerminalForm(Surveys.combined)
        #expect(form.press(.backTab) == nil)
        #expect(form.focus == .forward)
        #expect(form.press(.character("1")) == nil)
        #expect(form.focus == .field(0))
        #expect(form.press(.control("d")) == .submit)
        #expect(form.params == #"{"presentationId":"P","option":"Poor"}"#)
    }

    @Test("a 1 and soon after it a 0 are 10 where there is a 10")
    func ten() {
        var form = TerminalForm(Surveys.questions)
        #expect(form.press(.character("1"), .character("0"), .enter) == .keep)
        #expect(form.partParams.contains(#""score":10"#))
    }

    @Test(
        "a digit belongs to the one before it for less than a second, if there is a choice of that number",
        arguments: [
            (10, "10", 0.5, 10), (10, "10", 0.8, 0), (10, "20", 0.5, 0), (10, "1a", 0.5, 10), (10, "101", 0.5, 1),
            (9, "10", 0.5, 0),
        ])
    func digits(most: Int64, keys: String, pause: Double, taken: Int64) {
        let choices = (0...most).map { SurveyQuestion.Choice(value: .int($0), label: "\($0)", emoji: nil) }
        var field = ChoiceField(choices, isMultiple: false, count: 1...1)
        var typed = TypedNumber()
        for (place, key) in keys.enumerated() { _ = field.choose(key: key, &typed, at: Double(place) * pause) }
        #expect(field.value == .int(taken))
    }

    @Test("the order in which choices are chosen is the answer of a ranking")
    func rankedChoices() {
        let choices = ["a", "b", "c"].map { SurveyQuestion.Choice(value: .string($0), label: $0, emoji: nil) }
        var field = ChoiceField(choices, isMultiple: true, count: 2...2, isRanked: true)
        var typed = TypedNumber()
        func press(_ key: Character, at time: Double) {
            let isTaken = field.choose(key: key, &typed, at: time)
            #expect(isTaken)
        }
        press("3", at: 10)
        #expect(field.rank(of: 2) == 1)
        #expect(field.problem(isRequired: true) == "Choose 2 in your order, the best first")
        press("1", at: 20)
        #expect(field.value == ["c", "a"] && field.problem(isRequired: true) == nil)
        press("3", at: 30)
        #expect(field.value == ["a"] && field.rank(of: 0) == 1)
        press("3", at: 40)
        #expect(field.value == ["a", "c"] && field.rank(of: 1) == nil)
        field.restore(["b", "a"])
        #expect(field.value == ["b", "a"])
    }

    @Test("an answer that stands alone and the others put each other out")
    func exclusiveChoices() {
        var choices = ["a", "b", "none"].map { SurveyQuestion.Choice(value: .string($0), label: $0, emoji: nil) }
        choices[2].isExclusive = true
        var field = ChoiceField(choices, isMultiple: true, count: 2...3)
        var typed = TypedNumber()
        for (place, key) in "123".enumerated() { _ = field.choose(key: key, &typed, at: Double(10 * place)) }
        #expect(field.chosen == [2] && field.problem(isRequired: true) == nil)
        _ = field.choose(key: "1", &typed, at: 40)
        #expect(field.chosen == [0])
        field.choose(only: [0, 2])
        #expect(field.problem(isRequired: true) == "Choose “none” alone, or the others.")
        field.set(2, false)
        #expect(field.problem(isRequired: true) == "Choose at least 2, not 1.")
        field.set(9, true)
        #expect(field.chosen == [0])
    }

    @Test("where several can be taken, each digit takes its own")
    func severalDigits() {
        let choices = (0...10).map { SurveyQuestion.Choice(value: .int($0), label: "\($0)", emoji: nil) }
        var field = ChoiceField(choices, isMultiple: true, count: 1...11)
        var typed = TypedNumber()
        for key in "10" { _ = field.choose(key: key, &typed, at: 0) }
        #expect(field.chosen == [0, 1])
    }

    @Test("questions follow the way the daemon tells, back and forth")
    func questions() {
        var form = TerminalForm(Surveys.questions)
        #expect(form.press(.character("9"), .enter) == .keep)
        #expect(form.partParams == #"{"presentationId":"P","answers":{"score":9},"partial":true}"#)
        #expect(form.advance(along: ["score", "parts"]) == nil)
        #expect(form.shownFields.map(\.id) == ["parts"])
        #expect(form.hasBack)
        #expect(form.press(.character("3"), .enter) == nil)
        #expect(form.problem == "Choose at least 2, not 1.")
        // Back and another score: now there is a question between.
        #expect(form.press(.tab, .enter) == nil)
        #expect(form.shownFields.map(\.id) == ["score"])
        #expect(form.press(.character("a"), .up, .enter) == .keep)
        #expect(form.partParams.contains(#""score":9"#))
        #expect(form.press(.character("3"), .enter) == .keep)
        #expect(form.advance(along: ["score", "why", "parts"]) == nil)
        #expect(form.press(.control("d")) == .keep)
        #expect(form.partParams == #"{"presentationId":"P","answers":{"why":null},"partial":true}"#)
        #expect(form.advance(along: ["score", "why", "parts"]) == nil)
        #expect(form.press(.character("1"), .enter) == .keep)
        #expect(form.advance(along: ["score", "why", "parts", "look"]) == nil)
        #expect(form.isLastPage)
        #expect(form.press(.control("d")) == .keep)
        #expect(form.advance(along: ["score", "why", "parts", "look"]) == .submit)
        #expect(form.params == #"{"presentationId":"P","answers":{"score":3,"parts":["e","x"]}}"#)
    }

    @Test("a page that comes next is shown from its top, and one that changes stays where it is")
    func scrolling() {
        var form = TerminalForm(Surveys.questions)
        #expect(form.scroll == 0)
        #expect(form.press(.character("9"), .enter) == .keep && form.scroll == nil)
        #expect(form.advance(along: ["score", "parts"]) == nil && form.scroll == 0)
        #expect(form.press(.character("1")) == nil && form.scroll == nil)
        form.form.notice = "The daemon is away."
        #expect(form.scroll == nil)
    }

    @Test("a branch to the end ends the survey, and answers off the way are left out")
    func earlyEnd() {
        var form = TerminalForm(Surveys.questions)
        _ = form.press(.character("3"), .enter)
        _ = form.advance(along: ["score", "why"])
        form.type("much")
        _ = form.press(.tab, .enter)
        _ = form.press(.character("1"), .enter)
        #expect(form.advance(along: ["score"]) == .submit)
        #expect(form.params == #"{"presentationId":"P","answers":{"score":1}}"#)
    }

    @Test("answers that were kept are there, and the first open question is asked")
    func resumed() {
        let questions = """
            {"id":"a","type":"single","question":"A","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]},
            {"id":"b","type":"text","question":"B"},
            {"id":"c","type":"rating","question":"C","scale":5}
            """
        var form = TerminalForm(
            Surveys.make("questions", questions, #","answers":{"a":"y","b":"kept"},"route":["a","b","c"]"#))
        #expect(form.shownFields.map(\.id) == ["c"])
        _ = form.goBack()
        #expect(form.shownFields.map(\.id) == ["b"])
        #expect(form.press(.control("d")) == .keep)
        #expect(form.partParams.contains(#""b":"kept""#))
        #expect(form.params == #"{"presentationId":"P","answers":{"a":"y","b":"kept"}}"#)
    }

    @Test("Esc dismisses at once, and asks first when something was written")
    func escape() {
        var form = TerminalForm(Surveys.combined)
        #expect(form.press(.character("1"), .escape) == .dismiss)
        form.focus = .field(1)
        form.type("x")
        #expect(form.press(.escape) == nil)
        #expect(form.asks == .dismiss)
        #expect(form.press(.character("x"), .escape) == nil)
        #expect(form.asks == nil)
        #expect(form.press(.escape, .enter) == nil)
        #expect(form.press(.escape, .character("y")) == .dismiss)
        #expect(form.press(.control("c")) == .leave)
    }

    @Test("Ctrl-X asks whether it shall never come again; a form, and what a program asks, know nothing of it")
    func never() {
        var form = TerminalForm(Surveys.options)
        #expect(form.press(.control("x")) == nil && form.asks == .mute)
        #expect(form.press(.escape) == nil && form.asks == nil)
        #expect(form.press(.control("x"), .character("y")) == .mute)
        form = TerminalForm(Surveys.options)
        form.mayBeMuted = false
        #expect(form.press(.control("x"), .character("y")) == nil && form.asks == nil)
        var dialog = PlainDialog(SurveyForm(Surveys.options))
        #expect(dialog.take("Never") == ("", .mute))
    }

    @Test("Esc asks too when earlier questions were answered")
    func escapeOnLaterPage() {
        var form = TerminalForm(Surveys.questions)
        _ = form.press(.character("9"), .enter)
        _ = form.advance(along: ["score", "parts"])
        #expect(form.press(.escape) == nil)
        #expect(form.asks == .dismiss)
    }

    @Test("Ctrl-C leaves also while the form asks something itself", arguments: [false, true])
    func controls(asking: Bool) {
        var form = TerminalForm(Surveys.text)
        if asking {
            form.type("x")
            _ = form.press(.escape)
        }
        #expect(form.press(.control("c")) == .leave)
        #expect((form.asks == .dismiss) == asking)
    }

    @Test("arrows leave a text at its ends and do not go round")
    func arrows() {
        var form = TerminalForm(Surveys.combined)
        _ = form.press(.up, .up)
        #expect(form.focus == .field(0))
        _ = form.press(.down, .down)
        #expect(form.focus == .field(1))
        form.type("one")
        _ = form.press(.enter, .up)
        #expect(form.focus == .field(1))
        _ = form.press(.up)
        #expect(form.focus == .field(0))
        _ = form.press(.tab, .down, .down)
        #expect(form.focus == .forward)
        _ = form.press(.down, .right)
        #expect(form.focus == .forward)
        _ = form.press(.tab)
        #expect(form.focus == .field(0))
    }

    @Test("any keys in any order leave the form whole, and every screen of every size fits", arguments: 1...6)
    func anyKeys(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let keys: [TerminalKey] = [
            .character("1"), .character("a"), .character("日"), .character("\u{301}"), .paste("two words\n"), .enter,
            .tab, .backTab, .backspace, .delete, .escape, .up, .down, .left, .right, .home, .end, .pageUp, .pageDown,
            .wordLeft, .wordRight, .control("w"), .control("u"), .control("k"), .control("d"), .character(" "),
        ]
        for presentation in [Surveys.options, Surveys.text, Surveys.combined, Surveys.questions] {
            var form = TerminalForm(presentation)
            for _ in 0..<400 {
                if random(20) == 0 { form.size = TerminalSize(rows: 1 + random(30), columns: 1 + random(90)) }
                let action = form.handle(keys[random(keys.count)])
                if action == .keep { _ = form.advance(along: nil) }
                let screen = SurveyScreen(form)
                let frame = screen.frame
                #expect(frame.lines.count <= form.size.rows)
                #expect(frame.lines.allSatisfy { $0.width <= form.size.columns })
                if let cursor = frame.cursor {
                    #expect(cursor.row < form.size.rows && cursor.column < form.size.columns)
                } else {
                    #expect(form.scroll != nil)
                }
            }
        }
    }
}
