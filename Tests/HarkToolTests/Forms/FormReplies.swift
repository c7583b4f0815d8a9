import HarkClient

@testable import HarkAsking
@testable import HarkTool

/// Forms as a daemon tells them.
enum FormReplies {
    static let questions = #"""
        {"id":"colour","type":"text","question":"Your favourite colour?","required":true,"maxLength":20},
        {"id":"tried","type":"multiple","question":"What have you tried?","required":true,"minSelections":1,
         "maxSelections":3,"options":[{"value":"m","label":"Music"},{"value":"w","label":"Walks"},
         {"value":"t","label":"Tea"}]},
        {"id":"goal","type":"single","question":"And your goal?","required":true,
         "options":[{"value":"s","label":"Sleep"},{"value":"f","label":"Focus"}]}
        """#

    static func make(
        answers: String = "", submissions: String? = nil, next: String? = "colour", answered: Int = 0,
        completed: Bool = false, draft: String? = #"{"page":null,"answers":{"other":"begun"}}"#
    ) -> FormReply {
        let waiting = next.map { "\"\($0)\"" } ?? "null"
        let json = """
            {"formId":"f","title":"A title","message":"A message","completionMessage":"All set!",
            "editable":\(submissions == nil),"questions":[\(questions)],"route":["colour","tried","goal"],
            "answers":{\(answers)},\(submissions.map { "\"submissions\":{\($0)}," } ?? "")
            "completed":\(completed),\(draft.map { "\"draft\":\($0)," } ?? "")
            "progress":{"answered":\(answered),"total":3,"text":"\(answered) of 3 Questions Answered","next":\(waiting)}}
            """
        guard let reply = FormReply(JSONText(json)) else { preconditionFailure("no form: \(json)") }
        return reply
    }

    static func submission(_ question: String, _ state: String, problem: String? = nil, attempts: Int = 1) -> String {
        let why = problem.map { #","problem":"\#($0)""# } ?? ""
        return #""\#(question)":{"state":"\#(state)","attempts":\#(attempts),"status":null\#(why)}"#
    }
}

extension TerminalForm {
    init(filling reply: FormReply) { self.init(SurveyForm(filling: reply)) }

    mutating func update(_ reply: FormReply, now: Double) { form.update(reply, now: now) }

    /// The rows on a terminal of this size, without the empty ones.
    func rows(_ columns: Int = 80, _ rows: Int = 24, glyphs: Glyphs = .all) -> [String] {
        var form = self
        form.size = TerminalSize(rows: rows, columns: columns)
        return SurveyScreen(form, glyphs: glyphs).frame.lines.map(\.text).filter { !$0.isEmpty }
    }

    func shows(_ text: String) -> Bool { rows().contains { $0.contains(text) } }
}
