import HarkAsking
import HarkClient

extension Command {
    static let report: Command = Command(
        name: "report",
        summary: "Write a page about what happened.",
        about: """
            Writes one page of HTML: events over time and by name, sessions, what came of surveys, and how deliveries stand. \
            It has no script and fetches nothing, is light or dark as its reader likes it, and can be printed and mailed. A \
            file of that name is replaced once the page is whole; only you may read it.

            It is about everything there is, or what --since and --until leave of it; surveys go by when they were due. --where \
            is a condition on events. What people wrote is counted, not shown.
            """,
        options: [out, .where, .since, .until, .user, .anonymous, app, .machine, .group, .quiet],
        examples: [
            .init("hark report --since -1w --out week.html", "The last seven days."),
            .init("hark report --app kiosk --since 2026-11-01 --until 2026-12-01", "November at the kiosk."),
            .init("hark report --out - | mail -s Report -a 'Content-Type: text/html' ops", "By mail, from a timer."),
        ],
        run: { arguments, console in
            try arguments.atMostOne(of: .user, .anonymous)
            let path = arguments[out] ?? defaultName
            guard !path.isEmpty else { throw ToolError.usage("'--out' names no file", hint: "'-' is standard output.") }
            var connection = try Connection()
            let report = try Report(arguments, &connection)
            let page = ReportPage(report).text
            if path == "-" { return try console.write(lines: page) }
            try OutputFile.write(page, to: path)
            guard !arguments.has(.quiet) else { return }
            try console.print("\(path): \(Plural.count(report.names.total.all.count, "event"))")
        })

    private static let app = Option("app", "a", value: "APP", "Only this app.")
    private static let defaultName = "hark-report.html"

    private static let out = Option(
        "out", "o", value: "FILE", values: .files, "Write it there; - is standard output. Default: \(defaultName).")
}
