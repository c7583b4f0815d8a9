import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let surveyFamily: Command = Command(
        name: "survey",
        summary: "Add a survey, or remove one.",
        about: """
            Changes the file of surveys that the daemon reads, and leaves the rest of the file as it is: comments, order, and \
            members that this command does not know. If the daemon refuses the file, the old one is restored. See \
            docs/guides/ask-after-an-event.md.
            """,
        examples: [
            .init(
                "hark survey add --on visit.end --after 1h 'How was it?' Good Bad", "Asked an hour after each visit."),
            .init("hark survey remove how-was-it", "Remove it again."),
        ],
        members: [
            .init("add") { surveyAdd },
            .init("remove") { surveyRemove },
        ])

    private static let surveyAdd: Command = Command(
        name: "add",
        summary: "Add a survey.",
        usage: ["QUESTION OPTION …", "QUESTION --text"],
        about: """
            Asks the user of an event for a choice of options, for a text, or for both. It is asked at most once a session. A \
            user who has answered is not asked again, unless --repeat is given.
            """,
        options: [
            on, after, condition, message, surveyId, text, repeats, FleetSetup.system, .quiet,
        ],
        examples: [
            .init("hark survey add --on visit.end --after 1h 'How was it?' Good Bad", "An hour after each visit."),
            .init(
                "hark survey add --on sale --where 'amount > 50' --text 'What for?'", "A text, only after some events."),
            .init(
                "hark survey add --on login --repeat 90d --text 'Well?' Yes No", "Each quarter; a text may be added."),
        ],
        operands: 1...Int.max,
        run: { arguments, console in
            let survey = try surveyToAdd(arguments)
            let id = survey["id"]?.stringValue ?? ""
            var file = try SurveyFile(wantsSystem: arguments.has(FleetSetup.system))
            let problems = try file.add(survey, id: id)
            if arguments.has(.quiet) { return }
            sayProblems(problems, "hark: warning: ", console)
            if let event = arguments[on] { file.doubt(event, arguments[condition], console) }
            try console.print("added \(VisibleText.value(id)) to \(VisibleText.make(file.file.path))")
        })

    private static func surveyToAdd(_ arguments: Arguments) throws(ToolError) -> JSONObject {
        let title = arguments.operands[0]
        guard let event = arguments[on] else {
            throw .usage("'--on' is missing", hint: "Name the event after which it is asked: --on visit.end.")
        }
        let options = arguments.operands.dropFirst().map(JSONValue.string)
        guard !options.isEmpty || arguments.has(text) else {
            throw .usage("there is nothing to answer with", hint: "Name options behind the question, or give --text.")
        }
        let id = arguments[surveyId] ?? name(of: title, otherwise: event)
        var trigger: JSONObject = ["name": .string(event)]
        if let condition = arguments[condition] { trigger["where"] = .string(condition) }
        if let after = try arguments.span(after) { trigger["scheduleAfterSeconds"] = .int(after) }
        var survey: JSONObject = [
            "id": .string(id), "title": .string(title), "message": .string(arguments[message] ?? ""),
        ]
        if !arguments.has(text) {
            survey["options"] = .array(options)
        } else if options.isEmpty {
            survey["response"] = ["type": "text"]
        } else {
            survey["response"] = .object(
                ["type": "combined", "options": .array(options), "textField": .object(JSONObject())])
        }
        survey["trigger"] = .object(["event": .object(trigger)])
        if let seconds = try arguments.span(repeats) { survey["repeatEverySeconds"] = .int(seconds) }
        return survey
    }

    /// Turns a title into a name: `How was it?` becomes `how-was-it`.
    private static func name(of title: String, otherwise event: String) -> String {
        let words = title.lowercased().split { !$0.isLetter && !$0.isNumber }
        var name = ""
        for word in words where name.count + word.count < 40 { name += (name.isEmpty ? "" : "-") + word }
        return name.isEmpty ? event : name
    }

    private static let on = Option(
        "on", "o", value: "EVENT", values: .names(.event), "The event that triggers it.")
    private static let after = Option(
        "after", "A", value: "SPAN", "The delay after the event: \(DurationArgument.forms).")
    private static let condition = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds, like 'amount > 50 and plan = pro'.")
    private static let message = Option("message", "m", value: "TEXT", "The text below the question.")
    private static let surveyId = Option(
        "id", value: "NAME", "Its id in 'hark results' and elsewhere. Default: made from the question.")
    private static let text = Option("text", "t", "The answer is a text; behind options, a text may be added.")
    private static let repeats = Option(
        "repeat", "r", value: "SPAN",
        "Ask again this long after it was last answered or asked: \(DurationArgument.forms).")

    private static let surveyRemove: Command = Command(
        name: "remove",
        summary: "Remove a survey, and cancel its open showings.",
        usage: ["SURVEY"],
        about: "Answers stay, and 'hark results' shows them.",
        options: [FleetSetup.system, .quiet],
        operands: 1...1,
        completes: .names(.survey),
        isStrict: { _ in true },
        run: { arguments, console in
            var file = try SurveyFile(wantsSystem: arguments.has(FleetSetup.system))
            let problems = try file.remove(arguments.operands[0])
            if arguments.has(.quiet) { return }
            sayProblems(problems, "hark: warning: ", console)
            try console.print(
                "removed \(VisibleText.value(arguments.operands[0])) from \(VisibleText.make(file.file.path))")
        })
}
