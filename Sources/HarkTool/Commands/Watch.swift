import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let watch: Command = Command(
        name: "watch",
        summary: "Notice when an event stays away for too long.",
        about: """
            The daemon watches for an event. If none comes in time, it records the event watch.missed, once, and watch.recovered \
            when one comes again. A survey, a webhook or 'hark events --follow' makes an alarm of them: see \
            docs/guides/watch.md. A watch stays until it is removed, also over restarts.
            """,
        examples: [
            .init("hark watch add backup --every 26h --where 'exitCode = 0'", "A nightly backup that has to succeed."),
            .init("hark watch", "The present state."),
            .init("hark events --name 'watch.*' --since 1w", "What was missed this week."),
        ],
        members: [
            .init("add") { watchAdd },
            .init("remove") { watchRemove },
            .init("list") { watchList },
        ],
        fallback: "list")

    private static let watchAdd: Command = .calling(
        WatchAdd.self, "add", "Add a watch, or change one.",
        about: """
            NAME is the name of the watch, and of the event unless --event is given. The time counts from now, then from each \
            event. A script may add the same watch at each start; as long as it watches for the same events, its time goes on.
            """,
        examples: [
            .init("hark watch add backup --every 26h", "An alarm when 'backup' has not come for 26 hours."),
            .init(
                "hark watch add sale --every 2h --between 08:00-18:00 --days mon-fri",
                "An alarm only for hours in which something is sold."),
            .init("hark watch add nas --event heartbeat --where 'host = nas' --every 10m", "One of several hosts."),
        ],
        bind: { command, request in
            command.operand("NAME", &request.id)
            command.span(
                Option("every", "e", value: "SPAN", "How long the event may stay away: \(DurationArgument.forms)."),
                &request.terms.every, remedy: "Say how long the event may stay away: --every 26h.")
            command.text(
                Option(
                    "between", "b", value: "HOURS",
                    "Only the time between these hours counts, in local time: 08:00-18:00, or 22:00-06:00 over midnight."
                ),
                &request.terms.between)
            command.text(
                Option(
                    "days", "d", value: "DAYS",
                    "Only the time on these days counts: mon-fri, or sat,sun. Default: all."), &request.terms.days)
            command.text(
                Option("event", value: "NAME", "The event to wait for. Default: the watch's name."), &request.event)
            command.condition(condition, &request.terms.condition)
            command.text(
                Option(
                    "app", "a", value: "APP",
                    "Only events of this app count, and watch.missed is recorded there. Default: any."),
                &request.terms.app)
            command.text(
                Option("user", "u", value: "USER", "Only events about this user count. Default: any."),
                &request.terms.userId)
        },
        check: { request, arguments, doubts, connection in
            let event = request.event ?? request.id
            doubts.event(event, &connection)
            doubts.condition(arguments[condition], on: event, &connection)
        },
        print: { result, request, console in
            let verb = result.replaced ? "changed" : "added"
            try console.print("\(verb) \(VisibleText.value(request.id)): \(result.watch.outlook)")
        })

    private static let condition = Option(
        "where", "w", value: "CONDITION", "Only events for which this holds count, like 'exitCode = 0'.")

    private static let watchRemove: Command = .calling(
        WatchRemove.self, "remove", "Remove a watch.", completes: .names(.watch), isStrict: true,
        bind: { command, request in command.operand("NAME", &request.id) })

    private static let watchList: Command = .listing(
        WatchList.self, "list", "List the watches and their states.",
        about: "The exit code is 0; with --missed it is 1 if an event is missed.",
        options: [missed],
        examples: [.init("hark watch list --missed || echo 'look at it'", "From a script.")],
        show: { watches, arguments, console in
            let shown = arguments.has(missed) ? watches.filter { $0.missedAt != nil } : watches
            if shown.isEmpty {
                console.say(watches.isEmpty ? "hark: there are no watches" : "hark: nothing is missed")
            } else {
                try console.print(WatchInfo.table(shown, console.style))
            }
        },
        verdict: (
            missed,
            { watches in if watches.contains(where: { $0.missedAt != nil }) { throw QuietExit(exit: .declined) } }
        ))

    private static let missed = Option("missed", "m", "Only watches whose event is missed.")
}

/// Watches as shown to people.
extension WatchInfo {
    fileprivate static func table(_ watches: [WatchInfo], _ style: TextStyle) -> String {
        // Only administrators see watches of other users.
        let hasOthers = Set(watches.map(\.uid)).count > 1
        let rows = watches.map { watch in
            let row = [
                VisibleText.value(watch.id), watch.what, watch.every,
                watch.lastAt.map { LocalTime.secondText($0) } ?? "never", watch.state(style),
            ]
            return (hasOthers ? [String(watch.uid)] : []) + row
        }
        let head = (hasOthers ? ["uid"] : []) + ["watch", "event", "every", "came last", ""]
        return TextTable.text([head] + rows, style)
    }

    /// The state of a new watch, with its deadline.
    fileprivate var outlook: String {
        if let missedAt { return "missed since \(LocalTime.secondText(missedAt))" }
        return dueAt.map { "missed unless it comes by \(LocalTime.secondText($0))" } ?? "waits"
    }

    private var every: String {
        let hours = [terms.days, terms.between].compactMap { $0.map { VisibleText.value($0) } }
        let span = DurationText.make(Double(terms.every) / 1_000)
        return ([span] + (hours.isEmpty ? [] : ["of"]) + hours).joined(separator: " ")
    }

    private var what: String {
        var words = [VisibleText.value(event)]
        if let app = terms.app { words.append("of \(VisibleText.value(app))") }
        if let userId = terms.userId { words.append("about \(VisibleText.value(userId))") }
        if terms.condition != nil { words.append("(some)") }
        return words.joined(separator: " ")
    }

    private func state(_ style: TextStyle) -> String {
        if let missedAt { return style.bad("missed since \(LocalTime.secondText(missedAt))") }
        return dueAt.map { "by \(LocalTime.secondText($0))" } ?? ""
    }
}
