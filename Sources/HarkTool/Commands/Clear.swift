import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let clear: Command = Command(
        name: "clear",
        summary: "Remove events and sessions for good.",
        usage: ["--all", "--user USER", "--anonymous", "--session ID", "--machine NAME", "--group NAME"],
        about: """
            Removes the data from the store, the archive tree and the buffers of destinations. This cannot be undone; make a \
            copy with 'hark export' first. On a terminal hark asks; in a script, --yes is needed.

            --user removes everything that 'hark export --user' contains, including answers, forms, drafts, log entries, watches \
            and the survey history. Servers keep what they have received; hark names these servers.

            On a hub, --machine and --group mean the records of these machines: all of them, or only those of --user and so on.
            """,
        options: [everything, .user, .anonymous, .session, .app, .machine, .group, yes, .json],
        examples: [.init("hark clear --user ada --yes", "Remove ada's data without asking.")],
        isStrict: { _ in true },
        calls: EventClear.name,
        run: { arguments, console in
            try arguments.atMostOne(of: everything, .user, .anonymous, .session)
            let machines = MachineScope(arguments)
            guard !machines.isAll || [everything, .user, .anonymous, .session].contains(where: { arguments.has($0) })
            else {
                throw ToolError.usage(
                    "nothing to remove is named",
                    hint: "Give --all, --user USER, --anonymous, --session ID, or on a hub --machine NAME.")
            }
            guard arguments.has(yes) || console.inputIsTerminal else {
                throw ToolError.usage(
                    "nothing was removed: there is no terminal to ask on", hint: "Give --yes if you are sure.")
            }
            var connection = try Connection()
            let scope = try RecordScope(arguments, &connection)
            if !arguments.has(yes) {
                try tell(ClearedAmount(scope, machines, &connection), scope, &connection, console)
            }
            guard arguments.has(yes) || console.confirm(question(scope, machines)) else {
                console.say("hark: nothing was removed")
                throw QuietExit(exit: .declined)
            }
            try clear(scope, machines, &connection, arguments, console)
        })

    private static let everything = Option("all", "Everything of everybody.")
    private static let yes = Option("yes", "y", "Do not ask.")

    private static func question(_ scope: RecordScope, _ machines: MachineScope) -> String {
        let what =
            switch scope {
            case .all: "all events and sessions of every user"
            case .user(let user): "everything of user \(VisibleText.value(user))"
            case .anonymous: "everything without a user"
            case .session(let id): "session \(VisibleText.make(id)) and its events"
            }
        var place = ""
        if let name = machines.name { place += " from machine \(VisibleText.value(name))" }
        if let group = machines.group { place += " from the machines of group \(VisibleText.value(group))" }
        return "Remove \(what)\(place) for good?"
    }

    /// Prints the amount before it is cleared.
    private static func tell(
        _ amount: ClearedAmount, _ scope: RecordScope, _ connection: inout Connection, _ console: Console
    ) throws {
        console.say("hark: that is \(amount.words)")
        if amount.isNothing, case .user(let user) = scope { Doubts(console: console).user(user, &connection) }
    }

    private static func clear(
        _ scope: RecordScope, _ machines: MachineScope, _ connection: inout Connection, _ arguments: Arguments,
        _ console: Console
    ) throws {
        connection.patience = nil
        let progress = Progress(console)
        progress.show("removing …")
        var request = EventClear()
        request.everything = scope == .all ? true : nil
        (request.user, request.session) = (scope.user, scope.session)
        (request.machine, request.group) = (machines.name, machines.group)
        let reply = try connection.call(request)
        progress.clear()
        guard let result = try console.value(of: reply, arguments) else { return }
        let (events, sessions) = (result.events, result.sessions)
        if events + sessions == 0, arguments.has(yes), case .user(let user) = scope {
            Doubts(console: console).user(user, &connection)
        }
        try console.print("removed \(Plural.count(events, "event")) and \(Plural.count(sessions, "session"))")
        sayWhatIsLeft(result.unreached ?? [], console)
    }

    /// Prints which destinations no clear reaches.
    private static func sayWhatIsLeft(_ unreached: [UnreachedCopy], _ console: Console) {
        func names(_ isMeant: (String) -> Bool) -> String? {
            let names = unreached.filter { isMeant($0.kind) }.map { VisibleText.make($0.name) }
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }
        if let servers = names({ $0 != "fleet" && $0 != "form" }) {
            console.say("hark: some of it had been delivered before, and is still there: \(servers)")
        }
        if names({ $0 == "fleet" }) != nil {
            console.say(
                "hark: the hub of the fleet has some of it, and is told: it removes that if it is set to follow clears")
        }
        if let forms = names({ $0 == "form" }) {
            console.say("hark: the servers of these forms have answers, and keep them: \(forms)")
        }
    }
}
