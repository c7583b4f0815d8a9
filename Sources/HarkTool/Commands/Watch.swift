import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let watch: Command = Command(
        name: "watch",
        summary: "Be told when an event has not come for a while.",
        about: """
            The daemon waits for an event. When none has come in time, it records the event watch.missed, once, and \
            watch.recovered when one comes again. A survey, a webhook or 'hark events --follow' makes an alarm of them: see \
            docs/guides/watch.md. A watch stays until it is removed, also over restarts.
            """,
        examples: [
            .init("hark watch add backup --every 26h --where 'exitCode = 0'", "A nightly backup that has to succeed."),
            .init("hark watch", "How it stands."),
            .init("hark events --name 'watch.*' --since 1w", "What was missed this week."),
        ],
        members: [
            .init("add") { watchAdd },
            .init("remove") { watchRemove },
            .init("list") { watchList },
        ],
        fallback: "list")

    private static let watchAdd: Command = Command(
        name: "add",
        summary: "Wait for an event, or change a watch.",
        usage: ["NAME"],
        about: """
            NAME names the watch, and the event unless --event does. The time counts from now on, then from each event that comes. \
            A script may add the same watch at each start: as long as it waits for the same events, it goes on counting.
            """,
        options: [every, between, days, event, condition, app, user, .quiet, .json],
        examples: [
            .init("hark watch add backup --every 26h", "An alarm when 'backup' has not come for 26 hours."),
            .init(
                "hark watch add sale --every 2h --between 08:00-18:00 --days mon-fri",
                "An alarm only for hours in which something is sold."),
            .init("hark watch add nas --event heartbeat --where 'host = nas' --every 10m", "One of several hosts."),
        ],
        operands: 1...1,
        run: { arguments, console in
            guard let text = arguments[every] else {
                throw ToolError.usage("'--every' is missing", hint: "Say how long it may stay away: --every 26h.")
            }
            let seconds = try DurationArgument.parse(text, name: "--every")
            var connection = try Connection()
            let condition = try arguments[condition].map { text throws(ToolError) in try ConditionArgument.json(text) }
            let result = try connection.call(.watchAdd) { params in
                params.member(.newWatch, arguments.operands[0])
                params.member(.watchedEvent, arguments[event])
                params.member(.watchedEvery, seconds)
                if let condition { params.member(.watchedWhere, raw: condition) }
                params.member(.watchedBetween, arguments[between])
                params.member(.watchedDays, arguments[days])
                params.member(.watchedApp, arguments[app])
                params.member(.watchedUser, arguments[user])
            }
            let doubts = Doubts(console: console)
            let watched = arguments[event] ?? arguments.operands[0]
            doubts.event(watched, &connection)
            doubts.condition(arguments[Command.condition], on: watched, &connection)
            if arguments.has(.json) { return try console.print(json: result) }
            guard !arguments.has(.quiet), let watch = result.member("watch") else { return }
            let verb = result.member("replaced")?.bool == true ? "changed" : "added"
            try console.print("\(verb) \(VisibleText.value(arguments.operands[0])): \(WatchText.outlook(watch))")
        })

    private static let every = Option(
        "every", "e", value: "SPAN", "For how long it may stay away: \(DurationArgument.forms).")
    private static let between = Option(
        "between", "b", value: "HOURS",
        "Only the time between these hours counts, by the clock here: 08:00-18:00, or 22:00-06:00 over midnight.")
    private static let days = Option(
        "days", "d", value: "DAYS", "Only the time on these days counts: mon-fri, or sat,sun. Default: all.")
    private static let event = Option("event", value: "NAME", "The event to wait for. Default: the watch's name.")
    private static let condition = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds count, like 'exitCode = 0'.")
    private static let app = Option(
        "app", "a", value: "APP", "Only events of this app count; what is missed is recorded there. Default: any.")
    private static let user = Option("user", "u", value: "USER", "Only events about this user count. Default: any.")

    private static let watchRemove: Command = Command(
        name: "remove",
        summary: "Wait for an event no more.",
        usage: ["NAME"],
        operands: 1...1,
        completes: .names(.watch),
        isStrict: { _ in true },
        run: { arguments, _ in
            var connection = try Connection()
            _ = try connection.call(.watchRemove) { $0.member(.watch, arguments.operands[0]) }
        })

    private static let watchList: Command = Command(
        name: "list",
        summary: "List the watches, and how it stands with each.",
        about: "The exit code is 0 whether something is missed or not; --missed makes it 1 if something is.",
        options: [missed, .json],
        examples: [.init("hark watch list --missed || echo 'look at it'", "From a script.")],
        run: { arguments, console in
            var connection = try Connection()
            var after: String?
            var watches: [JSONText] = []
            repeat {
                let page = try connection.call(.watchList) { $0.member(.after, after) }
                if arguments.has(.json) { try console.print(json: page) }
                watches += page.member("watches")?.elements ?? []
                after = page.member("next")?.string
            } while after != nil
            let lacking = watches.filter(WatchText.isMissed)
            if !arguments.has(.json) {
                let shown = arguments.has(missed) ? lacking : watches
                if shown.isEmpty {
                    console.say(watches.isEmpty ? "hark: there are no watches" : "hark: nothing is missed")
                } else {
                    try console.print(WatchText.table(shown, console.style))
                }
            }
            if arguments.has(missed), !lacking.isEmpty { throw QuietExit(exit: .declined) }
        })

    private static let missed = Option("missed", "m", "Only what is missed.")
}
