import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let surveyFamily: Command = Command(
        name: "survey",
        summary: "Add a survey, or remove one.",
        about: """
            Changes the file of surveys that the daemon reads, and leaves all else in it as it is: comments, order, what this \
            command does not know. Where the daemon does not take the file, the old one is put back. See \
            docs/guides/ask-after-an-event.md.
            """,
        examples: [
            .init(
                "hark survey add --on visit.end --after 1h 'How was it?' Good Bad", "Asked an hour after each visit."),
            .init("hark survey remove how-was-it", "And no more."),
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
            Asks whoever an event is about, with options to choose from, for a text, or for both. It is asked once a session \
            at most, and nobody who has answered is asked again, unless with --repeat.
            """,
        options: [
            on, after, condition, message, surveyId, text, repeats, FleetSetup.system, .quiet,
        ],
        examples: [
            .init("hark survey add --on visit.end --after 1h 'How was it?' Good Bad", "An hour after each visit."),
            .init("hark survey add --on sale --where 'amount > 50' --text 'What for?'", "A text of some."),
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
        "on", "o", value: "EVENT", values: .names(.event), "The event that brings it about.")
    private static let after = Option(
        "after", "A", value: "SPAN", "How long after the event it is asked: \(DurationArgument.forms).")
    private static let condition = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds, like 'amount > 50 and plan = pro'.")
    private static let message = Option("message", "m", value: "TEXT", "What is said below the question.")
    private static let surveyId = Option(
        "id", value: "NAME", "What it is called in 'hark results' and elsewhere. Default: made of the question.")
    private static let text = Option("text", "t", "The answer is a text; behind options, a text may be added.")
    private static let repeats = Option(
        "repeat", "r", value: "SPAN",
        "Ask again so long after it was answered, or was asked last: \(DurationArgument.forms).")

    private static let surveyRemove: Command = Command(
        name: "remove",
        summary: "Remove a survey; what is open of it is cancelled.",
        usage: ["SURVEY"],
        about: "What was answered stays, and 'hark results' shows it.",
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
