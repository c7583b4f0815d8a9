import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let results: Command = Command(
        name: "results",
        summary: "Show what came of a survey.",
        usage: ["SURVEY"],
        about: """
            Shows how often the survey was shown, answered, dismissed and expired, how often each answer was given, how \
            long people took (the median), where they stopped, and the latest texts. How many people answered stands beside how \
            many answers there are. Behind each share, score or mean stands between which two the true one of everybody lies, \
            with 95 % confidence, if those who answered are like those who did not; of fewer than \(Estimate.fewest) answers \
            it says that they are too few.

            --every cuts the time in which the survey was shown into waves, each with the change since the one before. --by \
            parts the showings by what they have in common: locale (the language that was asked for), surface, zone (the \
            machine's time zone), @app, on a hub @machine and @group, or a property of the event that brought them about, by its \
            name, like plan. A property that is called like a word before is property.locale, one that begins with @ is @@name.

            --since and --until mean when it was shown, and take a time like \(TimeArgument.forms).

            --csv prints a table (RFC 4180) with the columns survey, kind, question, value, count, at, low, high, from and by.
            """,
        options: [.machine, .group, .since, .until, .every, by, .csv, .spreadsheet, .json],
        examples: [
            .init("hark results checkout-rating", "Counts, bars and texts."),
            .init("hark results checkout-rating --every 1mo", "Month by month, with the change of each."),
            .init(
                "hark results checkout-rating --by plan", "By the property 'plan' of the event that brought it about."),
            .init("hark results checkout-rating --csv > rating.csv", "For a spreadsheet."),
        ],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet)
            let (since, until) = try TimeArgument.range(arguments)
            let step = try arguments[.every].map { text throws(ToolError) in try TimeStep.parse(text) }
            var connection = try Connection()
            var waves: [Timestamp] = []
            if let step {
                let range = try range(arguments, since, until, &connection)
                waves = try step.boundaries(range)
            }
            // The daemon reads all showings, so there is no timeout.
            connection.patience = nil
            var request = SurveyResultsRequest()
            (request.surveyId, request.machines) = (arguments.operands[0], MachineScope(arguments).choice)
            (request.since, request.until, request.by) = (since, until, arguments[by])
            request.boundaries = waves.isEmpty ? nil : waves
            let reply = try connection.call(request)
            let result = reply.value
            if case .property(let name) = arguments[by].flatMap({ ResultField($0) }), isUnknown(in: result) {
                console.say(
                    "hark: no event with a property '\(VisibleText.make(name))' has brought it about, as far as is kept"
                )
            }
            if try console.printed(json: reply.text, arguments) { return }
            if let table = CSVTable(arguments, console) {
                return try console.write(lines: ResultsCSV.text(result, table))
            }
            let columns = console.columns ?? 80
            try console.print(ResultsText(result, console.style, columns: columns, step).text)
        })

    private static let by = Option(
        "by", "b", value: "FIELD", values: .words(ResultField.words),
        "Part the showings by this: \(ResultField.words.joined(separator: ", ")), or a property of the event.")

    /// Whether no showing has a known value to group by.
    private static func isUnknown(in results: SurveyResultInfo) -> Bool {
        let parts = results.parts ?? []
        return !parts.isEmpty && parts.allSatisfy { $0.by?.json.isNull ?? true }
    }

    /// The period in which the survey was shown, for any end that was not given.
    private static func range(
        _ arguments: Arguments, _ since: Timestamp?, _ until: Timestamp?, _ connection: inout Connection
    ) throws -> ClosedRange<Timestamp> {
        let end = until?.adding(milliseconds: -1) ?? LocalTime.now
        if let since { return since...max(since, end) }
        var request = SurveyDefinitions()
        (request.surveyId, request.machines) = (arguments.operands[0], MachineScope(arguments).choice)
        let asked = try SurveyVersions(request, &connection)
        let first = asked.versions.map(\.first).min() ?? end
        return min(first, end)...end
    }
}
