import HarkClient
import HarkWire
import Testing

@testable import HarkAsking
@testable import HarkTool

@Suite("What a survey says of its scales, of itself at the end, and of who asks")
struct ScaleWordsTests {
    private static let scale = Surveys.make(
        "questions",
        #"{"id":"n","type":"nps","question":"Recommend it?","required":true,"lowLabel":"Never","highLabel":"Surely"},"#
            + #"{"id":"s","type":"rating","question":"Stars?","required":true,"scale":5,"shape":"stars"}"#,
        #","thanks":{"title":"See you soon"}"#)

    @Test("the words at the ends are one line, and a question without them has none")
    func ends() throws {
        let form = TerminalForm(Self.scale)
        #expect(form.fields[0].ends.line == "Never … Surely")
        #expect(form.fields[1].ends.line == nil)
        #expect(form.fields[0].shape == nil && form.fields[1].shape == .stars)
        #expect(PlainDialog(form.form).question.contains("Recommend it?\nNever … Surely\n"))
    }

    @Test("thanks of a survey's own may be a title alone; without them there are the usual ones")
    func thanks() {
        #expect(TerminalForm(Self.scale).thanks == .init(title: "See you soon", message: ""))
        #expect(TerminalForm(Surveys.options).thanks == nil)
    }

    @Test("a prompt says the app and the account that ask, and a survey neither")
    func asker() {
        #expect(TerminalForm(Surveys.text).asker == nil)
        let prompt = #","promptId":"0193a7c0-0000-7000-8000-000000000002","askedBy":0"#
        let asked = Surveys.make("text", #"{"id":"text","type":"text","question":"","required":true}"#, prompt)
        #expect(TerminalForm(asked).asker == "root@\(MachineName.own)")
        #expect(PlainDialog(SurveyForm(asked)).opening.contains("A message\nAsked by root@"))
        let lines = SurveyScreen(TerminalForm(asked), glyphs: .all).frame.lines
        #expect(lines.contains { $0.text.contains("Asked by root@") })
        let unknown = prompt.replacing(#""askedBy":0"#, with: #""askedBy":4294960000"#)
        let other = Surveys.make("text", #"{"id":"text","type":"text","question":"","required":true}"#, unknown)
        #expect(TerminalForm(other).asker?.hasPrefix("4294960000@") == true)
    }
}
