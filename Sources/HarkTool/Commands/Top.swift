import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let top: Command = Command(
        name: "top",
        summary: "Watch incoming events by name, and the state of the daemon.",
        about: """
            Shows every second how many events of each name came and how their rates changed, surveys that wait for an answer, \
            and destinations that lag. Keys: q ends, s sorts by rate, number or name, p pauses, arrows and Page Up and Down \
            select a name, and Enter follows its events until Ctrl-C.

            Without a terminal, or with --once, it watches for one interval, prints the result, and ends.
            """,
        options: [interval, .machine, .group, once],
        examples: [
            .init("hark top", "Watch until q is pressed."),
            .init("hark top --once --every 10s", "The events of ten seconds."),
        ],
        run: { arguments, console in
            let seconds = try arguments[interval].map { text throws(ToolError) in
                try DurationArgument.parse(text, name: "--every")
            }
            guard (1...3_600).contains(seconds ?? 1) else {
                throw ToolError.usage("--every is from 1s to 1h", hint: "Write it like --every 5s.")
            }
            let milliseconds = Int(seconds ?? 1) * 1_000
            var source = try TopSource(MachineScope(arguments))
            guard arguments.has(once) || !console.hasScreen else {
                var loop = TopLoop(source, interval: milliseconds, console)
                return try loop.run()
            }
            var board = TopBoard()
            guard try source.tick() != nil else { throw ToolError(.unavailable, "the daemon went away") }
            poll(nil, 0, CInt(milliseconds))
            guard let news = try source.tick() else { throw ToolError(.unavailable, "the daemon went away") }
            board.take(news.counts, seconds: Double(milliseconds) / 1_000)
            let columns = console.columns ?? 80
            let screen = TopScreen(
                board: board, status: news.status, surveys: news.surveys,
                size: TerminalSize(rows: 24, columns: columns))
            for line in screen.printed { try console.print(line) }
        })

    private static let interval = Option("every", "e", value: "SPAN", "The interval, from 1s to 1h. Default: 1s.")
    private static let once = Option("once", "1", "Print the events of one interval, and end.")
}
