import Glibc
import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let fleet: Command = Command(
        name: "fleet",
        summary: "Send the records of many machines to one hub.",
        about: """
            The machines of a fleet send their records through an MQTT broker to the daemon that is their hub, each record once. \
            Surveys, forms and flags come from the hub. See docs/guides/fleet.md.
            """,
        examples: [
            .init("hark fleet join mqtt://broker.example/shop --hub", "On the hub."),
            .init("hark fleet join mqtt://broker.example/shop --group north", "On each of the other machines."),
            .init("hark fleet", "The present state."),
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
        summary: "Show the state of the fleet.",
        usage: ["[MACHINE]"],
        about: """
            On a machine: whether broker and hub are there, how many records wait, and the documents from the hub. On the hub: \
            its machines, with the time of the last contact, the number and age of waiting records, the version of the daemon, \
            the hub's documents in force, how much is held back because the machine's version cannot read it (for a single \
            machine: what), and notes. Above them are clears on machines whose records are still here, with the command that \
            removes these. A machine's name may have * for any letters. At most a thousand machines are shown, with --json all.
            """,
        options: [.json],
        examples: [
            .init("hark fleet status 'kiosk-*'", "Only some machines."),
            .init(
                "hark fleet status --json | jq '.machines[] | select(.here | not) | .machine'",
                "Machines that are away."),
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
            Run this on the hub. Connected machines get the document within seconds, the others when they are back. It replaces \
            a machine's own document until it is withdrawn; a document for a group replaces the one for all machines. The kind \
            of a file follows from its content ("surveys" or "forms") or its name; flags need the name flags.json or --kind. All \
            files are checked before one is sent; the exit code is 65 if one is wrong. - is standard input.
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
        "kind", "k", value: "KIND", values: .words(kinds), "The kind of document: \(kinds.joined(separator: ", ")).")

    private static let fleetWithdraw: Command = Command(
        name: "withdraw",
        summary: "Withdraw a pushed document.",
        usage: ["KIND"],
        about: """
            The machines go back to their own surveys, forms or flags; machines of a group go back to the document for all \
            machines. The exit code is 1 if there was nothing to withdraw.
            """,
        options: [group, .json],
        examples: [
            .init("hark fleet withdraw surveys --group north", "The group gets the surveys for all machines again.")
        ],
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
