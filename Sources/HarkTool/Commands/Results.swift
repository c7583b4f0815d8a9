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
            long people took (the median), and the latest texts.

            --csv prints a table (RFC 4180) with the columns survey, kind, question, value, count and at.
            """,
        options: [.machine, .group, .csv, .spreadsheet, .json],
        examples: [
            .init("hark results checkout-rating", "Counts, bars and texts."),
            .init("hark results checkout-rating --csv > rating.csv", "For a spreadsheet."),
        ],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet)
            var connection = try Connection()
            let result = try connection.call(.surveyResults) { params in
                params.member(.survey, arguments.operands[0])
                MachineScope(arguments).append(to: &params)
            }
            if arguments.has(.json) { return try console.print(json: result) }
            if let table = CSVTable(arguments, console) {
                return try console.write(lines: ResultsCSV.text(result, table))
            }
            let columns = console.outputIsTerminal ? TerminalMode.size.columns : 80
            try console.print(ResultsText(result, console.style, columns: columns).text)
        })
}
