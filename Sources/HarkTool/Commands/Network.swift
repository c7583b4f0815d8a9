import HarkClient
import HarkWire

extension Command {
    static let network: Command = Command(
        name: "network",
        summary: "Show how this machine is connected.",
        about: """
            Shows whether anything can leave the machine, by which way, and the network interfaces with their addresses. \
            The exit code is 0 if the network is there and 1 if not.

            With --follow, it prints a line for how it is now and one whenever that changes; with --json as well, one for \
            every change of an interface, too.
            """,
        options: [follow, .json],
        examples: [
            .init("hark network >/dev/null && sync-photos", "Only while the network is there."),
            .init("hark network --follow --json | jq --unbuffered .satisfied", "Every change, for a script."),
        ],
        run: { arguments, console in
            var connection = try Connection()
            if arguments.has(follow) {
                var follower = NetworkFollower(console, json: arguments.has(.json))
                return try follower.run(consume connection)
            }
            let reply = try connection.call(.networkStatus, as: NetworkResult.self)
            let network = NetworkInfo(try known(reply.value.network))
            if arguments.has(.json) {
                try console.print(json: reply.text)
            } else {
                try console.print(NetworkText(network, console.style).screen)
            }
            if !network.satisfied { throw QuietExit(exit: .declined) }
        })

    private static let follow = Option("follow", "f", "Go on showing changes as they come.")

    /// Returns what the daemon knows of the network; throws if it knows nothing.
    static func known(_ network: AnyJSON?) throws(ToolError) -> JSONText {
        guard let network else {
            throw ToolError(
                .unavailable, "the daemon is not told how this machine is connected",
                hint: "Its log says why the kernel refused. Its unit must allow AF_NETLINK.")
        }
        return network.json
    }
}
