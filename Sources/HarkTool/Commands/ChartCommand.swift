import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let chart: Command = Command(
        name: "chart",
        summary: "Draw events over time.",
        usage: ["[NAME [VALUE]]"],
        about: """
            Draws how many events called NAME there are in each bucket of time (* stands for any letters; without it, all \
            events), or the sum of the numbers in their property VALUE. --show draws another number: \(Chart.Measure.forms). \
            Without --every, hark chooses the length of the buckets.

            --by draws a panel for each group, all on one scale; groups with the most events come first. Buckets without events \
            are empty. Counts and sums are bars, other numbers lines, unless --line or --bars is given. If several buckets share \
            a column, it shows the greatest of them.

            --svg writes the same as a picture. --since, --until and --where are as with 'hark stats'.
            """,
        options: [
            .every, .by, show, line, bars, svg, .distinct, .where, .since, .until, .session, .user, .anonymous, .app,
            .machine, .group, limit, .csv, .spreadsheet, .json,
        ],
        examples: [
            .init("hark chart checkout --since -1d", "How many checkouts there were in the last 24 hours."),
            .init("hark chart checkout amount --every 1d --by plan", "The sum of each plan, by day."),
            .init("hark chart request ms --show p95 --every 15m --since today", "How slow requests were today."),
            .init("hark chart checkout --every 1w --svg checkouts.svg", "A picture for a report."),
        ],
        operands: 0...2,
        completes: .names(.event),
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet, svg)
            try arguments.atMostOne(of: line, bars)
            let most = try arguments.integer(limit, in: 1...50) ?? 5
            var connection = try Connection()
            var request = try StatisticsRequest(arguments, &connection)
            let measure = try Command.measure(arguments, request)
            request.percentiles = []
            if case .percentile(let percent) = measure { request.percentiles = [percent] }
            request.limit = most
            let columns = console.columns ?? 80
            if request.step == nil, let range = try request.range(&connection) {
                request.step = TimeStep.fitting(range, atMost: max(12, min(columns - 12, 60)))
            }
            guard let step = request.step else { return console.say("hark: no such events") }
            let statistics = try request.ask(&connection)
            if try console.printed(json: statistics.json, arguments) { return }
            if let table = CSVTable(arguments, console) {
                return try console.print(lines: Array(StatisticsCSV.text(statistics, table).utf8))
            }
            if let hint = statistics.hint { console.say(hint) }
            let chart = Chart(statistics, measure, step, most: Int(most))
            let isLine = arguments.has(line) || !measure.isAdditive && !arguments.has(bars)
            if let path = arguments[svg] { return try OutputFile.write(ChartSVG(chart, isLine: isLine).text, to: path) }
            guard statistics.total.all.count > 0 else { return console.say("hark: no such events") }
            try console.print(
                ChartText(
                    chart, console.style, columns: columns, isASCII: console.glyphs.isASCII, isLine: isLine,
                    isPlain: !console.outputIsTerminal
                ).text)
        })

    private static func measure(
        _ arguments: Arguments, _ request: StatisticsRequest
    ) throws(ToolError) -> Chart.Measure {
        guard let text = arguments[show] else {
            return request.distinct != nil ? .distinct : request.value == nil ? .count : .sum
        }
        let measure = try Chart.Measure.parse(text)
        if measure == .distinct, request.distinct == nil {
            throw .usage("'--show distinct' needs '--distinct FIELD'")
        }
        if measure != .count, measure != .distinct, request.value == nil {
            throw .usage("'--show \(text)' needs the property that it is of", hint: "Write 'hark chart NAME VALUE'.")
        }
        return measure
    }

    private static let show = Option("show", value: "NUMBER", "Which number: \(Chart.Measure.forms).")
    private static let line = Option("line", "Draw lines.")
    private static let bars = Option("bars", "Draw bars.")
    private static let svg = Option("svg", value: "FILE", values: .files, "Write a picture instead (SVG).")
    private static let limit = Option("limit", "l", value: "N", "Only the N largest groups. Default: 5.")
}
