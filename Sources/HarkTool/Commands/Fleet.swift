import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let fleet: Command = Command(
        name: "fleet",
        summary: "Have many machines send to one hub.",
        about: """
            The machines of a fleet send what is recorded through an MQTT broker to the daemon that is their hub, each record \
            once; surveys, forms and flags come from the hub. See docs/guides/fleet.md.
            """,
        examples: [
            .init("hark fleet join mqtt://broker.example/shop --hub", "On the machine to which all send."),
            .init("hark fleet join mqtt://broker.example/shop --group north", "On each of the others."),
            .init("hark fleet", "How it stands."),
            .init("hark fleet push surveys.json --group north", "Other surveys for a group."),
        ],
        members: [
            .init("join") { fleetJoin },
            .init("leave") { fleetLeave },
            .init("status") { fleetStatus },
            .init("push") { fleetPush },
            .init("withdraw") { fleetWithdraw },
        ],
        fallback: "status")

    private static let fleetStatus: Command = Command(
        name: "status",
        summary: "Show how it stands with the fleet.",
        usage: ["[MACHINE]"],
        about: """
            On a machine: whether broker and hub are there, what waits, and what came from the hub. On the hub: its machines, \
            when each was heard of last, how many records wait there and for how long, its daemon, what it has of the hub's, \
            how much is held back from it as its version cannot read that (of one machine: what), and what somebody should know \
            of it; above them what was cleared on machines and is still here, with the command that \
            removes it. A machine's name may have * for any letters. A thousand machines are shown at most, with --json all.
            """,
        options: [.json],
        examples: [
            .init("hark fleet status 'kiosk-*'", "Some of them."),
            .init("hark fleet status --json | jq '.machines[] | select(.here | not) | .machine'", "Who is away."),
        ],
        operands: 0...1,
        completes: .names(.machine),
        run: { arguments, console in
            var connection = try Connection()
            let name = arguments.operands.first
            let report = try FleetReport(&connection, machine: name, most: arguments.has(.json) ? .max : shown)
            if try console.printed(json: JSONText(report.json), arguments) { return }
            guard let role = report.role else {
                console.say("hark: this daemon is in no fleet")
                return console.say(FleetWords.howToJoin)
            }
            if let name {
                guard role == .hub else {
                    throw ToolError(
                        .noInput, "this daemon is a machine of its fleet, and only the hub knows the others")
                }
                guard !report.machines.isEmpty || name.contains("*") else {
                    throw ToolError(
                        .noInput, "no machine of the fleet is called \(VisibleText.value(name))",
                        hint: "'hark fleet' shows those there are.")
                }
            }
            let columns = console.columns
            let text = FleetText(
                report: report, style: console.style, columns: columns, now: LocalTime.now, isPart: name != nil)
            try console.print(text.text)
        })

    /// The most machines shown on a terminal.
    private static let shown = 1_000

    private static let fleetPush: Command = Command(
        name: "push",
        summary: "Give surveys, forms or flags to the machines.",
        usage: ["FILE …"],
        about: """
            Said on the hub. The machines that are there have the document within seconds, the others once they are back; it takes the place \
            of a machine's own until it is withdrawn, and that for a group of the one for all. What a file is about is told by \
            what it holds ("surveys" or "forms") or by its name; of flags by the name flags.json or by --kind. All files are checked \
            before one goes out; the exit code is 65 if one is wrong. - is standard input.
            """,
        options: [group, kind, .json],
        examples: [
            .init("hark fleet push surveys.json forms.json", "For all machines."),
            .init("hark fleet push - --kind flags --group north < new.json", "Flags for a group."),
        ],
        operands: 1...Int.max,
        completes: .files,
        run: { arguments, console in try FleetPush(arguments[kind], group: arguments[group]).run(arguments, console) })

    private static let group = Option("group", "g", value: "GROUP", "Only for the machines of this group.")
    private static let kinds = FleetDocumentKind.allCases.map(\.rawValue)
    private static let kind = Option(
        "kind", "k", value: "KIND", values: .words(kinds), "What it is about: \(kinds.joined(separator: ", ")).")

    private static let fleetWithdraw: Command = Command(
        name: "withdraw",
        summary: "Take back what was pushed.",
        usage: ["KIND"],
        about: """
            The machines go back to their own surveys, forms or flags; those of a group to what was pushed for all. The exit \
            code is 1 if there was nothing to take back.
            """,
        options: [group, .json],
        examples: [.init("hark fleet withdraw surveys --group north", "The group has those for all again.")],
        operands: 1...1,
        completes: .words(kinds),
        run: { arguments, console in
            let kind = try FleetPush.kind(arguments.operands[0])
            var connection = try Connection()
            try FleetPush.requireHub(&connection)
            var request = FleetWithdraw()
            request.kind = kind
            request.group = arguments[group]
            let result = try connection.call(request)
            let isDone = result.value.withdrawn
            if arguments.has(.json) {
                try console.print(json: result.text)
            } else if isDone {
                try console.print("\(kind.rawValue) withdrawn \(FleetPush.scope(arguments[group]))")
            } else {
                console.say("hark fleet withdraw: there were no \(kind.rawValue) \(FleetPush.scope(arguments[group]))")
            }
            if !isDone { throw QuietExit(exit: .declined) }
        })
}
