import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let answersCommand: Command = Command(
        name: "answers",
        summary: "Print the answers to a survey, a row for each showing.",
        usage: ["SURVEY"],
        about: """
            Prints a row for each showing of the survey, answered or not, oldest first, with a column for each question that \
            the survey has or had. Columns follow the questions, not the answers, so a question or an option that nobody has \
            chosen has its column too. If several options may be chosen, one column has them all, separated by ';', and \
            QUESTION.OPTION has 1 or 0 for each.

            --csv adds when the showing was planned, notified, opened and answered, where, how long each question was on the \
            screen, and the user, session and machine. --json prints each showing as the daemon returns it, one per line. --long \
            prints a row for each answer instead.

            --codebook writes the table into the folder DIR, with names and codes that statistics programs take, together with \
            the files they need to read it: datapackage.json (Frictionless), labels.sps (SPSS, PSPP), labels.do (Stata), read.R, \
            and codebook.md for people.

            If answers were changed, the last version is printed. --all-versions prints the earlier versions too, and with --csv \
            adds which version replaces which (revises, revised_by). Answers that were taken back have an empty row.

            --since and --until mean when it was shown, and take a time like \(TimeArgument.forms).
            """,
        options: [
            answered, long, allVersions, .surveyUser, .anonymous, .surveyApp, .machine, .group, .since, .until, .csv,
            .spreadsheet,
            Option("json", "j", "Print each showing as a line of JSON."), codebook,
        ],
        examples: [
            .init("hark answers checkout-rating", "The answers, for people to read."),
            .init("hark answers checkout-rating --csv > rating.csv", "All columns, for other programs."),
            .init(
                "hark answers checkout-rating --answered --since -7d --long",
                "A row for each answer of the last seven days."),
            .init("hark answers checkout-rating --codebook ~/study", "For R, SPSS, Stata or pandas, with labels."),
        ],
        operands: 1...1,
        completes: .names(.survey),
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet, codebook)
            for option in [Option.json, codebook] { try arguments.atMostOne(of: option, long) }
            try arguments.atMostOne(of: codebook, allVersions)
            var connection = try Connection()
            let query = try AnswerQuery(arguments, answered: answered, allVersions: allVersions, &connection)
            let survey = try query.asked(&connection)
            if let path = arguments[codebook] {
                let folder = try ExportFolder(path, .codebook)
                var book = Codebook(survey)
                try book.write(to: folder, query, &connection)
                try folder.sync()
                return try console.print(
                    "wrote \(Plural.count(book.count, "showing")) with \(Plural.count(Int64(survey.questions.count), "question")) to \(VisibleText.make(path))"
                )
            }
            if arguments.has(.json) {
                return try query.forEach(survey, &connection) { _, line in try console.print(json: line) }
            }
            var printer = AnswerPrinter(
                survey, CSVTable(arguments, console), isLong: arguments.has(long), withVersions: query.allVersions,
                console)
            try printer.print(query, &connection)
        })

    private static let answered = Option("answered", "Only showings that were answered.")
    private static let allVersions = Option(
        "all-versions", "Also earlier versions of answers that were changed or taken back.")
    private static let long = Option("long", "Print a row for each answer.")
    private static let codebook = Option(
        "codebook", value: "DIR", values: .folders, "Write the table and its codebook into this folder.")
}
