import HarkClient
import HarkWire

extension Command {
    static let session: Command = Command(
        name: "session",
        summary: "Start, end and list sessions.",
        about: """
            Events belong to a session. Each app has at most one open session; starting another ends it, and recording without \
            one begins an anonymous session by itself. A session without records for a day ends by itself (sessions.idleSeconds \
            in harkd.json).
            """,
        members: [
            .init("start") { sessionStart },
            .init("end") { sessionEnd },
            .init("list") { sessionList },
            .init("show") { sessionShow },
        ],
        fallback: "list")

    private static let sessionStart: Command = Command(
        name: "start",
        summary: "Start a session; the app's earlier one ends.",
        usage: ["[KEY=TEXT …] [KEY:=JSON …]"],
        about: """
            Starts a session and prints its id. KEY=TEXT and KEY:=JSON become its metadata, as properties do for an event.
            """,
        options: [startUser, .app, .quiet, .json],
        examples: [.init("hark session start --user ada plan=pro", "A session of ada with metadata.")],
        operands: 0...Int.max,
        calls: SessionStart.name,
        run: { arguments, console in
            var request = SessionStart()
            if let user = arguments[startUser] { request.user = .named(user) }
            request.app = arguments[.app]
            if !arguments.operands.isEmpty {
                request.metadata = AnyJSON(text: try PropertyArguments(arguments.operands).json)
            }
            try SessionText.printID(of: request, arguments, console)
        })

    private static let startUser = Option(
        "user", "u", value: "USER", "The user of the session; without it the session is anonymous.")

    private static let sessionEnd: Command = Command(
        name: "end",
        summary: "End the open session.",
        usage: ["[ID]"],
        about: "Ends the open session of the app, or the session with that id, and prints its id.",
        options: [.app, .quiet, .json],
        operands: 0...1,
        completes: .names(.session),
        isStrict: { _ in true },
        run: { arguments, console in
            if arguments.has(.app), let id = arguments.operands.first {
                throw ToolError.usage("'\(id)' and '--app' contradict each other", hint: "Give one of them.")
            }
            var request = SessionEnd()
            request.app = arguments[.app]
            if let id = arguments.operands.first, id != "current" { request.sessionId = id }
            try SessionText.printID(of: request, arguments, console)
        })

    private static let sessionList: Command = Command(
        name: "list",
        summary: "List sessions, the newest last.",
        about: "Lists sessions with start, length, user, app, number of events and id. Open sessions are marked.",
        options: [
            .user, .anonymous, Option("app", "a", value: "APP", "Only this app."), .machine, .group, openOnly,
            sessionLimit,
            Option("json", "j", "Print each session as a line of JSON."),
        ],
        examples: [.init("hark session list --user ada --limit 5", "The newest five of ada.")],
        calls: SessionList.name,
        run: { arguments, console in
            try arguments.atMostOne(of: .user, .anonymous)
            var connection = try Connection()
            var query = SessionPages(scope: try RecordScope(arguments, &connection), app: arguments[.app])
            query.machines = MachineScope(arguments)
            query.openOnly = arguments.has(openOnly)
            let limit = try arguments.integer(sessionLimit, in: 1...Int64.max)
            var sessions: [JSONText] = []
            var isEmpty = true
            query.newestFirst = limit != nil
            try query.forEach(&connection, limit: limit) { session in
                isEmpty = false
                if limit != nil { return sessions.append(session) }
                try SessionText.print(session, arguments, console)
            }
            for session in sessions.reversed() { try SessionText.print(session, arguments, console) }
            if isEmpty, console.outputIsTerminal { console.say("hark: no such sessions") }
        })

    private static let openOnly = Option("open", "Only sessions that have not ended.")
    private static let sessionLimit = Option("limit", "l", value: "N", "Only the newest N.")

    private static let sessionShow: Command = Command(
        name: "show",
        summary: "Show one session.",
        usage: ["[ID | current]"],
        about: "Shows a session with its metadata and how many events it has; without an id, the app's open one.",
        options: [.app, .json],
        operands: 0...1,
        completes: .names(.session),
        run: { arguments, console in
            var connection = try Connection()
            var id = arguments.operands.first ?? "current"
            if id == "current" { id = try RecordScope.currentSession(arguments, &connection) }
            let reply = try connection.call(SessionGet(id))
            guard let result = try console.value(of: reply, arguments) else { return }
            try console.print(SessionText.page(result.session, console.style))
        })
}
