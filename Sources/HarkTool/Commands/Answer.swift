import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let answer: Command = Command(
        name: "answer",
        summary: "Answer a survey without being asked on a screen.",
        usage: ["PRESENTATION"],
        about: """
            Answers the presentation with that id ('hark surveys' shows it) with an option, a text, or both if the survey takes \
            both. For a survey of several questions, give --answers: an object with each question's id. A survey that is ready \
            and on no screen counts as shown after this.

            If an answer breaks a rule of the survey, the error names the rule, and nothing is stored.

            --change changes given answers; name only those that change. --take-back takes all of them back. Both work within \
            the survey's changeableSeconds, for the account that was asked. A change is no second answer, so it triggers nothing \
            again. --change prints the new id of the answers, or nothing with --quiet; use that id for a second change.
            """,
        options: [option, text, answers, change, takeBack, .quiet, .json],
        examples: [
            .init("hark answer 0193a7c0-… --option Great --text 'Fast, and kind'", "A choice with a text."),
            .init("hark answer 0193a7c0-… --answers '{\"score\": 9, \"why\": \"speed\"}'", "Several questions."),
            .init("hark answer 0193a7c0-… --change --option Poor", "Correct a wrong choice."),
            .init("id=$(hark answer $id --change --option Good)", "Change it again, by the id from the change before."),
        ],
        operands: 1...1,
        completes: .names(.presentation),
        isStrict: { _ in true },
        calls: SurveyAnswer.name,
        run: { arguments, console in
            let isGiven = [option, text, answers].contains { arguments.has($0) }
            try arguments.atMostOne(of: change, takeBack)
            if arguments.has(takeBack) {
                guard !isGiven else {
                    throw ToolError.usage("'--take-back' takes no answer", hint: "'--change' gives another one.")
                }
                var request = SurveyChange()
                request.takeBack = true
                return try PresentationCall.run(request, arguments, console)
            }
            guard isGiven else {
                throw ToolError.usage("an answer is missing", hint: "Give --option, --text or --answers.")
            }
            for simple in [option, text] { try arguments.atMostOne(of: answers, simple) }
            let object = arguments[answers].map { JSONText($0) }
            if let object, !object.isOneObject {
                throw ToolError.usage("'--answers' takes one JSON object", hint: "Like '{\"question\": \"answer\"}'.")
            }
            let given = object.map { AnyJSON(text: $0.line) }
            if arguments.has(change) {
                var request = SurveyChange()
                (request.option, request.text, request.answers) = (arguments[option], arguments[text], given)
                return try PresentationCall.run(request, arguments, console, printsID: true)
            }
            var request = SurveyAnswer()
            (request.option, request.text, request.answers) = (arguments[option], arguments[text], given)
            try PresentationCall.run(request, arguments, console)
        })

    private static let option = Option("option", "o", value: "OPTION", "The choice, as the survey spells it.")
    private static let text = Option("text", "t", value: "TEXT", "The text.")
    private static let change = Option("change", "Change the answers.")
    private static let takeBack = Option("take-back", "Take the answers back.")
    private static let answers = Option("answers", value: "JSON", "The answer to each question, by its id.")

    static let dismiss: Command = Command(
        name: "dismiss",
        summary: "Close a survey without an answer.",
        usage: ["PRESENTATION"],
        about: """
            Closes the presentation with that id. If it was shown, it counts as an attempt, and its rules decide whether the \
            survey is asked again; otherwise it is withdrawn. With --forever, no app asks you that survey again; 'hark unmute' \
            undoes this.
            """,
        options: [forEver, .quiet, .json],
        operands: 1...1,
        completes: .names(.presentation),
        isStrict: { _ in true },
        run: { arguments, console in
            var request = SurveyDismiss()
            request.scope = arguments.has(forEver) ? .ever : nil
            try PresentationCall.run(request, arguments, console)
        })

    private static let forEver = Option("forever", "Never ask this survey again.")

    static let snooze: Command = Command(
        name: "snooze",
        summary: "Put a survey off.",
        usage: ["PRESENTATION TIME"],
        about: """
            Takes the presentation with that id off the screen and asks again after TIME: \(DurationArgument.forms), a \
            year at most. This does not count as another attempt.
            """,
        options: [.quiet, .json],
        examples: [.init("hark snooze 0193a7c0-… 1h", "Ask again in an hour.")],
        operands: 2...2,
        completes: .names(.presentation),
        isStrict: { _ in true },
        run: { arguments, console in
            var request = SurveySnooze()
            request.seconds = try DurationArgument.parse(arguments.operands[1], name: "TIME")
            try PresentationCall.run(request, arguments, console)
        })
}

/// Calls whose result is a presentation.
enum PresentationCall {
    /// Calls the method for the named presentation, and prints its new state.
    ///
    /// - Parameter printsID: Prints the id of the resulting presentation instead.
    static func run(
        _ request: some PresentationMethod, _ arguments: Arguments, _ console: Console, printsID: Bool = false
    ) throws {
        try arguments.atMostOne(of: .json, .quiet)
        var connection = try Connection()
        var request = request
        request.presentationId = arguments.operands[0]
        let result = try connection.call(request).text
        if arguments.has(.quiet) { return }
        Warnings.say(result, console)
        if try console.printed(json: result, arguments) { return }
        if printsID {
            let survey = PresentationInfo(PresentationResult(result).survey.json)
            return try console.print(survey.presentationId.description)
        }
        guard console.outputIsTerminal, let now = ShownSurvey(PresentationResult(result).survey.json) else {
            return
        }
        let due = now.state == "scheduled" ? now.triggerAt.map { ", due at \(LocalTime.secondText($0))" } : nil
        try console.print("\(VisibleText.make(now.surveyId)) is \(VisibleText.make(now.state))\(due ?? "")")
    }
}
