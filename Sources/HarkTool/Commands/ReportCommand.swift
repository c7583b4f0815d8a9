import HarkAsking
import HarkClient

extension Command {
    static let report: Command = Command(
        name: "report",
        summary: "Write a page about what happened.",
        about: """
            Writes one page of HTML: events over time, by name and by hour of the week, log entries by level, failed programs \
            and missed watches, sessions, results of surveys, and the state of deliveries. With --since, each total is compared \
            with the time of the same length before. The page has no script and fetches nothing, follows the reader's light or \
            dark theme, and can be printed and mailed. An existing file is replaced when the page is complete; only you may read \
            it.

            The page covers all records, or those between --since and --until; for surveys, the time at which they were due \
            counts. --where is a condition on events. Texts that people wrote are counted, and shown only with --texts.

            --chart adds a chart of your own: the number of events of a name, the sum of one of their properties, or another \
            number of it (\(Chart.Measure.forms)).
            """,
        options: [
            out, headline, drawn, texts, .where, .since, .until, .user, .anonymous, app, .machine, .group, .quiet,
        ],
        examples: [
            .init("hark report --since -1w --out week.html", "The last seven days."),
            .init(
                "hark report --since -1w --chart 'purchase amount' --texts",
                "With the sum of each day, and with texts."),
            .init("hark report --app kiosk --since 2026-11-01 --until 2026-12-01", "November at the kiosk."),
            .init("hark report --out - | mail -s Report -a 'Content-Type: text/html' ops", "By mail, from a timer."),
        ],
        run: { arguments, console in
            try arguments.atMostOne(of: .user, .anonymous)
            let path = arguments[out] ?? defaultName
            guard !path.isEmpty else { throw ToolError.usage("'--out' names no file", hint: "'-' is standard output.") }
            var connection = try Connection()
            var report = try Report(arguments, &connection)
            for text in arguments.all(drawn) { try report.add(ReportMetric.Wish(text), arguments, &connection) }
            report.title = arguments[headline]
            let page = ReportPage(report).text
            if path == "-" { return try console.write(lines: page) }
            try OutputFile.write(page, to: path)
            guard !arguments.has(.quiet) else { return }
            try console.print("\(path): \(Plural.count(report.names.total.all.count, "event"))")
        })

    private static let app = Option("app", "a", value: "APP", "Only this app.")
    private static let headline = Option("title", "t", value: "TEXT", "The headline, instead of the machine's name.")
    private static let drawn = Option(
        "chart", "c", value: "'NAME [VALUE [NUMBER]]'", repeats: true,
        "Draw this as well, like 'purchase amount' or 'request ms p95'. May be given several times.")
    private static let texts = reportTexts
    /// Read by `Report`.
    static let reportTexts = Option("texts", "Show the latest texts that people wrote, with their ratings.")
    private static let defaultName = "hark-report.html"

    private static let out = Option(
        "out", "o", value: "FILE", values: .files, "The file to write; - is standard output. Default: \(defaultName).")
}
