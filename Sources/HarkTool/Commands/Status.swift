import HarkClient
import HarkWire

extension Command {
    static let status: Command = Command(
        name: "status",
        summary: "Show the state of the daemon.",
        about: """
            Shows version, uptime, store, rates, commit times, connections, destinations and timers. The exit code is 75 \
            if the daemon runs but cannot store (it says why), and 69 if it does not run.
            """,
        options: [.json, metrics],
        examples: [.init("hark status --metrics > hark.prom", "For the text collector of Prometheus's node_exporter.")],
        calls: DaemonStatus.name,
        run: { arguments, console in
            try arguments.atMostOne(of: .json, metrics)
            var connection = try Connection()
            if arguments.has(metrics) {
                var request = DaemonStatus()
                request.format = .openmetrics
                return try console.write(lines: connection.call(request).value.text ?? "")
            }
            let reply = try connection.call(DaemonStatus())
            let status = reply.value
            if try !console.printed(json: reply.text, arguments) {
                try console.print(StatusText(status, console.style, columns: console.columns).text)
            }
            if status.state == DaemonState.degraded.rawValue { throw QuietExit(exit: .temporary) }
        })

    private static let metrics = Option("metrics", "m", "Print metrics, in the text format of Prometheus.")
}
