import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let stats: Command = Command(
        name: "stats",
        summary: "Count events, and sum up their numbers.",
        usage: ["[NAME [VALUE]]"],
        about: """
            Counts the events called NAME (* stands for any letters; without it, all events, by name). For the numbers in their \
            property VALUE, it shows sum, mean, least, percentiles and greatest. --by makes groups, --every divides time into \
            buckets in local time, --distinct counts different values.

            --since and --until take a time like \(TimeArgument.forms). --where is as with 'hark events'.

            Percentiles are at most 0.8 % off, and up to about 1,000 different values are counted exactly. Less exact numbers \
            are marked with ~, and their error is in --json. See docs/guides/statistics.md.
            """,
        options: [
            .by, .every, .percentiles, .distinct, .where, .since, .until, .session, .user, .anonymous, .app, .machine,
            .group, limit, .csv, .spreadsheet, .json,
        ],
        examples: [
            .init("hark stats --since today", "How often each event came today."),
            .init("hark stats checkout amount --by plan", "Amounts by plan."),
            .init(
                "hark stats 'page.*' --by @name --distinct @user --every 1d --since -1w",
                "Readers of each page, by day."),
            .init("hark stats request ms --percentiles 50,95,99 --where 'status >= 500'", "How slow failures are."),
            .init("hark stats --by @user,@name --csv > counts.csv", "For a spreadsheet."),
            .init("hark stats --by machine --since today", "On a hub, the number of events of each machine."),
        ],
        operands: 0...2,
        completes: .names(.event),
        calls: EventStats.name,
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .csv, .spreadsheet)
            let limit = try arguments.integer(limit, in: 1...10_000)
            var connection = try Connection()
            var request = try StatisticsRequest(arguments, &connection)
            if request.by.isEmpty, request.name.map({ $0.contains("*") }) ?? true { request.by = ["@name"] }
            if let limit { request.limit = limit }
            let statistics = try request.ask(&connection)
            if try console.printed(json: statistics.json, arguments) { return }
            if let table = CSVTable(arguments, console) {
                return try console.print(lines: Array(StatisticsCSV.text(statistics, table).utf8))
            }
            if let hint = statistics.hint { console.say(hint) }
            guard statistics.total.all.count > 0 else {
                Doubts(console: console).condition(arguments[.where], on: request.name, &connection)
                if console.outputIsTerminal { console.say("hark: no such events") }
                return
            }
            let columns = console.columns ?? 100
            try console.print(
                StatisticsTable(
                    statistics, console.style, columns: columns, limit: Int(limit ?? 50),
                    wraps: console.outputIsTerminal
                ).text)
        })

    private static let limit = Option("limit", "l", value: "N", "Only the N largest groups. Default: 50 in a table.")
}
