import HarkClient
import HarkWire

extension Command {
    static let answer: Command = Command(
        name: "answer",
        summary: "Answer a survey without being asked on a screen.",
        usage: ["PRESENTATION"],
        about: """
            Answers the presentation with that id ('hark surveys' shows it) with an option, a text, or both for a survey \
            that takes both. A survey of several questions takes --answers: an object with each question's id. One that is \
            ready and on no screen counts as shown by this.

            What breaks a rule of the survey is refused with the rule, and nothing is stored.
            """,
        options: [option, text, answers, .json],
        examples: [
            .init("hark answer 0193a7c0-… --option Great --text 'Fast, and kind'", "A choice with a text."),
            .init("hark answer 0193a7c0-… --answers '{\"score\": 9, \"why\": \"speed\"}'", "Several questions."),
        ],
        operands: 1...1,
        run: { arguments, console in
            guard [option, text, answers].contains(where: { arguments.has($0) }) else {
                throw ToolError.usage("an answer is missing", hint: "Give --option, --text or --answers.")
            }
            for simple in [option, text] { try arguments.atMostOne(of: answers, simple) }
            var params = JSONWriter()
            params.beginObject()
            params.member("presentationId", arguments.operands[0])
            if let option = arguments[option] { params.member("option", option) }
            if let text = arguments[text] { params.member("text", text) }
            if let answers = arguments[answers] {
                let object = JSONText(answers)
                guard object.isOneObject else {
                    throw ToolError.usage(
                        "'--answers' takes one JSON object", hint: "Like '{\"question\": \"answer\"}'.")
                }
                params.key("answers")
                params.raw(object.bytes.filter { $0 != .newline && $0 != 0x0d })
            }
            params.endObject()
            try PresentationCall.run("survey.answer", params, arguments, console)
        })

    private static let option = Option("option", "o", value: "OPTION", "The choice, as the survey spells it.")
    private static let text = Option("text", "t", value: "TEXT", "The text.")
    private static let answers = Option("answers", value: "JSON", "The answer to each question, by its id.")

    static let dismiss: Command = Command(
        name: "dismiss",
        summary: "Close a survey without an answer.",
        usage: ["PRESENTATION"],
        about: """
            Closes the presentation with that id. One that was shown counts as an attempt, and the survey may be asked \
            again as its rules say; one that was not is withdrawn.
            """,
        options: [.json],
        operands: 1...1,
        run: { arguments, console in
            try PresentationCall.run(
                "survey.dismiss", PresentationCall.params(arguments.operands[0]), arguments, console)
        })

    static let snooze: Command = Command(
        name: "snooze",
        summary: "Put a survey off.",
        usage: ["PRESENTATION TIME"],
        about: """
            Takes the presentation with that id off the screen and asks again after TIME: \(DurationArgument.forms), a \
            year at most. It does not count as another attempt.
            """,
        options: [.json],
        examples: [.init("hark snooze 0193a7c0-… 1h", "Ask again in an hour.")],
        operands: 2...2,
        run: { arguments, console in
            let seconds = try DurationArgument.parse(arguments.operands[1], name: "TIME")
            var params = JSONWriter()
            params.beginObject()
            params.member("presentationId", arguments.operands[0])
            params.member("seconds", seconds)
            params.endObject()
            try PresentationCall.run("survey.snooze", params, arguments, console)
        })
}

/// Calls whose result is a presentation.
enum PresentationCall {
    static func params(_ id: String) -> JSONWriter {
        var params = JSONWriter()
        params.beginObject()
        params.member("presentationId", id)
        params.endObject()
        return params
    }

    /// Calls the method and prints what the presentation is now.
    static func run(_ method: String, _ params: JSONWriter, _ arguments: Arguments, _ console: Console) throws {
        var connection = try Connection()
        let result = try connection.call(method, params.bytes)
        Warnings.say(result, console)
        if arguments.has(.json) { return try console.print(json: result) }
        guard console.outputIsTerminal, let now = result.member("survey").flatMap({ ShownSurvey($0) }) else {
            return
        }
        let due = now.state == "scheduled" ? now.triggerAt.map { ", due at \(LocalTime.secondText($0))" } : nil
        try console.print("\(VisibleText.make(now.surveyId)) is \(VisibleText.make(now.state))\(due ?? "")")
    }
}
