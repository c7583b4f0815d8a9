import HarkClient
import HarkWire

extension Command {
    static let network: Command = Command(
        name: "network",
        summary: "Show how this machine is connected.",
        about: """
            Shows whether anything can leave the machine, the route, and the network interfaces with their addresses. \
            The exit code is 0 if the network is there and 1 if not.

            With --follow, it prints a line with the present state and one at every change; with --json as well, one for every \
            change of an interface, too.
            """,
        options: [follow, .json],
        examples: [
            .init("hark network >/dev/null && sync-photos", "Only while the network is there."),
            .init("hark network --follow --json | jq --unbuffered .satisfied", "Every change, for a script."),
        ],
        run: { arguments, console in
            if arguments.has(follow) { return try go(on: console, json: arguments.has(.json)) }
            var connection = try Connection()
            let reply = try connection.call(NetworkStatus())
            let network = NetworkInfo(try known(reply.value.network))
            if try !console.printed(json: reply.text, arguments) {
                try console.print(NetworkText(network, console.style).screen)
            }
            if !network.satisfied { throw QuietExit(exit: .declined) }
        })

    private static let follow = Option("follow", "f", "Go on showing changes as they come.")

    /// Prints the state of the network, then each change, across restarts of the daemon. Only changes are printed: of
    /// the headline for people, of everything for programs.
    private static func go(on console: Console, json isJSON: Bool) throws {
        var last = ""
        try StreamFollower(console: console).follow(try Connection()) { connection in
            try connection.call(NetworkSubscribe()).text
        } _: { method, params in
            guard method == nil || method == NotificationShape.networkChanged.name else { return }
            let network = try known(NetworkChanged(params).network)
            let text = isJSON ? network.text : NetworkText(NetworkInfo(network), console.style).headline
            guard text != last else { return }
            last = text
            let line = "\(LocalTime.secondText(LocalTime.now))  \(text)"
            if isJSON { try console.print(json: text) } else { try console.print(line) }
        }
    }

    /// Returns what the daemon knows of the network; throws if it knows nothing.
    static func known(_ network: AnyJSON?) throws(ToolError) -> JSONText {
        guard let network = network?.json, network.isObject else {
            throw ToolError(
                .unavailable, "the daemon is not told how this machine is connected",
                hint: "Its log says why the kernel refused. Its unit must allow AF_NETLINK.")
        }
        return network
    }
}
