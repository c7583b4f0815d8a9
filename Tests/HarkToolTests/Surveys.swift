import HarkClient
import HarkWire

@testable import HarkAsking
@testable import HarkTool

/// Presentations as a daemon tells them.
enum Surveys {
    static let id = "0193a7c0-0000-7000-8000-000000000001"

    static let options = make(
        "options",
        #"{"id":"option","type":"single","question":"","required":true,"options":["#
            + #"{"value":"Poor","label":"Poor","emoji":"😞"},{"value":"Good","label":"Good","emoji":"🙂"},"#
            + #"{"value":"Great","label":"Great","emoji":"😊"}]}"#)

    static let text = make(
        "text",
        #"{"id":"text","type":"text","question":"","required":true,"placeholder":"Share your thoughts…","#
            + #""minLength":5,"maxLength":20}"#)

    static let combined = make(
        "combined",
        #"{"id":"option","type":"single","question":"How was it?","required":true,"options":["#
            + #"{"value":"Poor","label":"Poor"},{"value":"Good","label":"Good"}]},"#
            + #"{"id":"text","type":"text","question":"Tell us more","required":false,"maxLength":500}"#)

    /// Four questions; the daemon says that a good score passes the second over.
    static let questions = make(
        "questions",
        #"{"id":"score","type":"nps","question":"Recommend it?","required":true},"#
            + #"{"id":"why","type":"text","question":"What is missing?","required":false},"#
            + #"{"id":"parts","type":"multiple","question":"What do you use?","required":true,"minSelections":2,"#
            + #""maxSelections":2,"options":[{"value":"e","label":"Editor"},{"value":"s","label":"Search"},"#
            + #"{"value":"x","label":"Export"}]},"#
            + #"{"id":"look","type":"rating","question":"And the look?","required":false,"scale":5,"#
            + #""emoji":["😞","😐","🙂","😊","🤩"]}"#,
        #","route":["score"]"#)

    static func make(_ type: String, _ questions: String, _ more: String = "") -> ShownSurvey {
        let json =
            #"{"presentationId":"\#(id)","surveyId":"s","state":"presented","userId":"ada","app":"default","#
            + #""title":"A title","message":"A message","responseType":"\#(type)","questions":[\#(questions)]\#(more)}"#
        guard let presentation = ShownSurvey(JSONText(json)) else { preconditionFailure("no presentation: \(json)") }
        return presentation
    }
}

extension TerminalForm {
    init(_ shown: ShownSurvey) { self.init(SurveyForm(shown)) }

    /// Takes keys, one after the other; the last action that came of them.
    mutating func press(_ keys: TerminalKey...) -> Action? {
        keys.reduce(nil) { _, key in handle(key) }
    }

    mutating func type(_ text: String) {
        for character in text { _ = handle(.character(character)) }
    }

    mutating func advance(along route: [String]?) -> Action? { form.advance(along: route) }
    mutating func goForward() -> Action? { form.goForward() }
    mutating func goBack() -> Action? { form.goBack() }
    var reopened: TerminalForm { TerminalForm(form.reopened) }
}

extension SurveyForm {
    var params: String { String(decoding: answer(to: "P").json, as: UTF8.self) }
    var changeParams: String { String(decoding: change(of: "P").json, as: UTF8.self) }
    var partParams: String { String(decoding: pageAnswer(to: "P").json, as: UTF8.self) }
}
