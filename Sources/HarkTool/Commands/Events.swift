import HarkClient
import HarkWire

extension Command {
    static let events: Command = Command(
        name: "events",
        summary: "Show events, and follow them as they come.",
        about: """
            Shows the events that pass every filter, oldest first: time, user, name and properties. Control characters in \
            them are shown as escapes. With --json each line is the event exactly as the archive has it.

            --since and --until take a time like \(TimeArgument.forms).

            With --follow, hark shows the newest 10 events (or what --limit, --since or --after ask for) and then each \
            new one. If the daemon goes away hark waits for it and goes on where it was; nothing is lost or shown twice.
            """,
        options: [
            .session, .user, .anonymous, .app, name, since, until, after, limit, follow,
            Option("json", "j", "Print each event as the line of JSON that the archive has."),
        ],
        examples: [
            .init("hark events --since today --name 'backup.*'", "Today's events whose name begins with backup."),
            .init("hark events --session current", "What happened in the open session."),
            .init("hark events --limit 20", "The newest 20."),
            .init("hark events --follow --user ada", "Ada's events as they come."),
        ],
        run: { arguments, console in try show(arguments, console) })

    private static let name = Option(
        "name", "n", value: "GLOB", "Only events of this name; * stands for any letters.")
    private static let since = Option("since", "S", value: "TIME", "Only events of this time and later.")
    private static let until = Option("until", "U", value: "TIME", "Only events before this time.")
    private static let after = Option("after", value: "SEQ", "Only events after this sequence number.")
    private static let limit = Option(
        "limit", "l", value: "N", "Only the newest N events; with --after, the first N after it.")
    private static let follow = Option("follow", "f", "Go on showing events as they come.")

    private static func show(_ arguments: Arguments, _ console: Console) throws {
        try arguments.atMostOne(of: follow, until)
        let limit = try arguments.integer(limit, in: 1...Int64.max)
        let now = LocalTime.now
        var query = EventQuery()
        query.app = arguments[.app]
        query.name = arguments[name]
        query.after = try arguments.integer(after, in: 0...Int64.max)
        query.since = try arguments[since].map { text throws(ToolError) in
            try TimeArgument.parse(text, option: "since", now: now)
        }
        query.until = try arguments[until].map { text throws(ToolError) in
            try TimeArgument.parse(text, option: "until", now: now)
        }
        if let since = query.since, let until = query.until, until < since {
            throw ToolError.usage("'--until' is before '--since'")
        }
        var connection = try Connection()
        query.scope = try Scope(arguments, &connection)

        let printer = EventPrinter(console, json: arguments.has(.json), showsUser: !query.isOfOneUser)
        guard arguments.has(follow) else { return try list(query, limit, &connection, printer) }
        var follower = EventFollower(query, printer, console)
        try follower.run(consume connection, newest: limit ?? 10)
    }

    private static func list(
        _ query: EventQuery, _ limit: Int64?, _ connection: inout Connection, _ printer: EventPrinter
    ) throws {
        if let limit, query.after == nil {
            for line in try query.newest(limit, &connection) { try printer.print(line) }
        } else {
            try query.forEachLine(&connection, limit: limit) { try printer.print($0) }
        }
        if printer.count == 0, printer.console.outputIsTerminal { printer.console.say("hark: no such events") }
    }
}

extension EventQuery {
    fileprivate var isOfOneUser: Bool { scope != .all }
}
