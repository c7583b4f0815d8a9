import HarkClient
import HarkWire

extension Command {
    static let status: Command = Command(
        name: "status",
        summary: "Show how the daemon is.",
        about: """
            Shows version, uptime, store, rates, commit times, connections, destinations and timers. The exit code is 75 \
            if the daemon runs but cannot store (it says why), and 69 if it does not run.
            """,
        options: [.json, metrics],
        examples: [.init("hark status --metrics > hark.prom", "For a collector of OpenMetrics text.")],
        run: { arguments, console in
            try arguments.atMostOne(of: .json, metrics)
            var connection = try Connection()
            if arguments.has(metrics) {
                let result = try connection.call("daemon.status", #"{"format":"openmetrics"}"#.utf8)
                return try console.write(lines: result.member("text")?.string ?? "")
            }
            let result = try connection.call("daemon.status", "{}".utf8)
            if arguments.has(.json) {
                try console.print(json: result)
            } else {
                try console.print(StatusText(result, console.style).text)
            }
            if result.member("state")?.string == "degraded" { throw QuietExit(exit: .temporary) }
        })

    private static let metrics = Option("metrics", "m", "Print OpenMetrics text.")
}
