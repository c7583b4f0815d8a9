import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let results: Command = Command(
        name: "results",
        summary: "Show the results of a survey.",
        usage: ["SURVEY"],
        about: """
            Shows how often the survey was shown, answered, dismissed and expired, how often each answer was given, how \
            long people took (the median), where they stopped, and the latest texts. The number of answers comes with the number \
            of people who answered. Each share, score or mean comes with an interval: the true one of all people lies in it with \
            95 % confidence, if those who answered are like those who did not. With fewer than \(Estimate.fewest) answers, hark \
            says that they are too few.

            --every divides the time in which the survey was shown into waves, each with the change since the one before. --by \
            groups the showings by a common value: locale (the requested language), surface, zone (the machine's time zone), \
            @app, on a hub @machine and @group, or a property of the event that triggered them, by its name, like plan. Write \
            property.locale for a property with the name of such a field, and @@name for one that begins with @.

            --since and --until mean when it was shown, and take a time like \(TimeArgument.forms).

            --csv prints a table (RFC 4180) with the columns survey, kind, question, value, count, at, low, high, from and by.
            """,
        options: [.machine, .group, .since, .until, .every, by, .csv, .spreadsheet, .json],
        examples: [
            .init("hark results checkout-rating", "Counts, bars and texts."),
            .init("hark results checkout-rating --every 1mo", "Each month, with the change since the month before."),
            .init(
                "hark results checkout-rating --by plan", "By the property 'plan' of the event that triggered it."),
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
                    "hark: as far as is kept, no event with a property '\(VisibleText.make(name))' has triggered it"
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
        "Group the showings by this: \(ResultField.words.joined(separator: ", ")), or a property of the event.")

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
