import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

/// Numbers, scales, yes and no, and notes in a terminal.
@Suite struct QuestionKindScreenTests {
    private static let kinds = Surveys.make(
        "questions",
        #"{"id":"hello","type":"note","question":"Three short questions.","required":false},"#
            + #"{"id":"slept","type":"number","question":"How long did you sleep?","required":true,"min":0,"max":24,"#
            + #""step":0.25,"unit":"h"},"#
            + #"{"id":"pain","type":"scale","question":"How strong is it?","required":false,"min":0,"max":100,"step":1,"#
            + #""labels":{"0":"none","100":"worst"},"show":"slider","showValue":true},"#
            + #"{"id":"took","type":"yes-no","question":"Did you take it?","required":true,"options":["#
            + #"{"value":"yes","label":"Yes"},{"value":"no","label":"No"}]},"#
            + #"{"id":"visit","type":"csat","question":"And the visit?","required":true,"scale":5,"#
            + #""labels":["Very dissatisfied","Dissatisfied","Neutral","Satisfied","Very satisfied"],"#
            + #""shape":"faces","emoji":["😞","😐","🙂","😊","🤩"]}"#,
        #","route":["hello","slept","pain","took","visit"]"#)
    private static let route = ["hello", "slept", "pain", "took", "visit"]

    private func lines(_ form: TerminalForm, columns: Int) -> [String] {
        var form = form
        form.size = TerminalSize(rows: 24, columns: columns)
        return SurveyScreen(form).frame.lines.map { String($0.text.reversed().drop { $0 == " " }.reversed()) }
    }

    @Test("all of them by keys alone, in 40 columns", arguments: [40, 80])
    func keys(columns: Int) {
        var form = TerminalForm(Self.kinds)
        func shows(_ text: String, _ place: SourceLocation = #_sourceLocation) {
            let lines = lines(form, columns: columns)
            #expect(lines.contains { $0.contains(text) }, "\(lines.joined(separator: "\n"))", sourceLocation: place)
            #expect(lines.allSatisfy { TextWidth.of($0) <= columns }, sourceLocation: place)
        }
        shows("Three short questions.")
        // A note is no question, and Enter passes it.
        #expect(form.questionNumber == nil && form.focus == .forward)
        #expect(form.press(.enter) == .keep)
        #expect(form.advance(along: Self.route) == nil)
        shows("Question 1")
        shows("0 … 24 h")
        form.type("1e5")
        #expect(form.press(.enter) == nil && form.problem == "Write all digits of the number, without an “e”.")
        #expect(form.press(.control("u")) == nil)
        form.type("25")
        #expect(form.press(.enter) == nil && form.problem == "Write a number from 0 to 24.")
        #expect(form.press(.control("u")) == nil)
        form.type("7,3")
        #expect(form.press(.enter) == nil && form.problem == "Write a number in steps of 0.25 from 0.")
        #expect(form.press(.backspace) == nil)
        form.type("5")
        #expect(form.press(.enter) == .keep && form.advance(along: Self.route) == nil)
        #expect(form.fields[1].value == .double(7.5))

        shows("Question 2")
        shows("No answer yet")
        shows("0: none · 100: worst")
        #expect(form.fields[2].value == nil && form.fields[2].problem == nil)
        #expect(form.press(.right) == nil && form.fields[2].value == 0)
        shows("0: none")
        #expect(form.press(.left) == nil && form.fields[2].value == 0)
        #expect(form.press(.wordRight, .right, .character("5"), .right) == nil && form.fields[2].value == 51)
        shows("●")
        #expect(form.press(.backspace) == nil && form.fields[2].value == nil)
        #expect(form.press(.left) == nil && form.fields[2].value == 100)
        #expect(form.press(.home) == nil && form.fields[2].value == 0)
        #expect(form.press(.end, .enter) == .keep && form.advance(along: Self.route) == nil)

        shows("y  ○ Yes")
        #expect(form.press(.character("N"), .enter) == .keep && form.advance(along: Self.route) == nil)
        shows("5  ○ 🤩  Very satisfied")
        #expect(form.press(.character("4"), .enter) == .keep && form.advance(along: Self.route) == .submit)
        #expect(
            form.params
                == #"{"presentationId":"P","answers":{"slept":7.5,"pain":100,"took":"no","visit":4}}"#)
    }

    @Test("line by line a note is printed and passed, and each fault says what is right")
    func dialog() {
        var dialog = PlainDialog(SurveyForm(Self.kinds))
        #expect(dialog.opening == "A title\nA message\n\nThree short questions.\n")
        let past = dialog.passNote()
        #expect(past?.text == "" && past?.action == .keep)
        let number = dialog.advance(along: Self.route)
        #expect(number.text == "\nHow long did you sleep?\nA number (0 … 24 h): " && number.action == nil)
        #expect(dialog.take("much").text.hasPrefix("Write a number, such as 12.5.\n"))
        #expect(dialog.take("30").text.hasPrefix("Write a number from 0 to 24.\n"))
        #expect(dialog.take("").text.hasPrefix("Write something first.\n"))
        #expect(dialog.take("8") == ("", .keep))
        let scale = dialog.advance(along: Self.route).text
        #expect(scale.contains("0: none · 100: worst\nA number from 0 to 100; an empty line passes it over (d "))
        #expect(dialog.take("101").text.hasPrefix("Write a number from 0 to 100.\n"))
        #expect(dialog.take("0.5").text.hasPrefix("Write a whole number.\n"))
        #expect(dialog.take("40") == ("", .keep))
        _ = dialog.advance(along: Self.route)
        #expect(dialog.take("Y") == ("", .keep))
        _ = dialog.advance(along: Self.route)
        #expect(dialog.take("satisfied") == ("", .keep))
        #expect(dialog.advance(along: Self.route) == ("", .submit))
        #expect(
            dialog.form.params
                == #"{"presentationId":"P","answers":{"slept":8,"pain":40,"took":"yes","visit":4}}"#)
    }

    @Test("a survey that goes on begins behind the note before its answers, and a new one begins with its note")
    func resuming() {
        #expect(TerminalForm(Self.kinds).page == [0])
        let kept = Surveys.make(
            "questions",
            #"{"id":"hello","type":"note","question":"N"},{"id":"n","type":"number","question":"1?"},"#
                + #"{"id":"m","type":"number","question":"2?"}"#,
            #","route":["hello","n","m"],"answers":{"n":0.5}"#)
        let form = TerminalForm(kept)
        #expect(form.page == [2] && form.questionNumber == 2 && form.questionCount == 2)
        #expect(form.fields[1].value == .double(0.5))
    }

    @Test("a scale to ten is keys, with its words")
    func buttons() {
        let scale = Surveys.make(
            "questions",
            #"{"id":"s","type":"scale","question":"?","min":0,"max":10,"step":1,"labels":{"0":"never"},"#
                + #""show":"buttons","showValue":true,"required":true}"#, #","route":["s"]"#)
        var form = TerminalForm(scale)
        let lines = lines(form, columns: 40)
        #expect(lines.contains { $0.contains("0  ○ never") } && lines.contains { $0.contains("a  ○ 10") })
        #expect(form.press(.character("1"), .character("0"), .enter) == .keep && form.fields[0].value == 10)
    }
}

/// The input of a person for a number.
@Suite struct NumberTextTests {
    static let read: [(String, Character, String)] = [
        ("12.5", ",", "12.5"), ("12,5", ".", "12.5"), ("12,5", ",", "12.5"), ("-3", ".", "-3"), ("−3", ".", "-3"),
        ("1,250", ",", "1.25"), ("1.250", ".", "1.25"), (".5", ".", "0.5"), ("-,5", ",", "-0.5"), ("5.", ".", "5"),
        ("٣٫٥", ".", "3.5"), ("0,1234", ".", "0.1234"), ("00", ".", "0"),
    ]

    @Test("comma and point part decimals in every language", arguments: read)
    func reading(text: String, mark: Character, number: String) throws {
        #expect(try DecimalText.read(text, mark: mark).get().description == number)
    }

    static let faults: [(String, Character, DecimalText.Fault)] = [
        ("1.250", ",", .unclear(whole: "1250", decimal: "1,250")),
        ("1,250", ".", .unclear(whole: "1250", decimal: "1.250")), ("1e5", ".", .exponent), ("2E3", ",", .exponent),
        ("e", ".", .noNumber(".")), ("", ".", .noNumber(".")), ("-", ",", .noNumber(",")),
        ("1 000", ".", .noNumber(".")),
        ("1,2,3", ",", .noNumber(",")), ("5kg", ".", .noNumber(".")), ("0.1234567", ".", .digits),
        ("3-", ".", .noNumber(".")), ("²", ".", .noNumber(".")), ("1000000000001", ".", .noNumber(".")),
        (String(repeating: "9", count: 100_000), ".", .noNumber(".")),
    ]

    @Test("what could be meant otherwise, or is no number, is refused", arguments: faults)
    func refusing(text: String, mark: Character, fault: DecimalText.Fault) {
        #expect(DecimalText.read(text, mark: mark) == .failure(fault))
        #expect(!fault.sentence.contains("{"))
    }

    @Test("the mark is that of the language")
    func marks() {
        #expect(Words.decimalMark(of: "de_AT.UTF-8") == "," && Words.decimalMark(of: "pt_BR") == ",")
        #expect(Words.decimalMark(of: "en_GB") == "." && Words.decimalMark(of: nil) == ".")
        #expect(Words.decimalMark(of: "es") == "," && Words.decimalMark(of: "es_MX.UTF-8") == ".")
        #expect(DecimalText.text(-12, mark: ",") == "-12")
    }
}
