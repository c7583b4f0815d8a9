import HarkClient
import HarkWire

extension Command {
    static let events: Command = Command(
        name: "events",
        summary: "Show events, and follow them as they come.",
        about: """
            Shows the events that pass every filter, oldest first, with time, user, name and properties; on a hub, also with \
            their machine. Control characters are shown as escapes. With --json each line is the event exactly as the archive \
            has it.

            --since and --until take a time like \(TimeArgument.forms).

            --where compares properties by their names, and the members of every event by names with @: @name, @user, @app, \
            @session, @uid, @pid, @seq, and on a hub @machine and @group. Comparisons are = != > >= < <=, contains, in (…), \
            exists; and, or, not and parentheses join them. A property that is not there fails every comparison but 'not \
            exists'. See docs/reference/conditions.md.

            --csv prints a column for each property, after those that every event has; its times are in UTC, with a Z at the \
            end. --spreadsheet prints the same in a form that is safe to open in a spreadsheet.

            With --follow, hark shows the newest 10 events (or those that --limit, --since or --after select) and then each new \
            one. If the daemon goes away, hark waits for it and continues where it was; nothing is lost or shown twice.
            """,
        options: [
            .session, .user, .anonymous, .app, .machine, .group, .eventName, .where, .since, .until, after, limit,
            follow, .csv, .spreadsheet,
            Option("json", "j", "Print each event as the line of JSON that the archive has."),
        ],
        examples: [
            .init("hark events --since today --name 'backup.*'", "Today's events whose name begins with backup."),
            .init("hark events --session current", "Events of the open session."),
            .init("hark events --limit 20", "The newest 20."),
            .init("hark events --where 'amount > 50 and plan = pro'", "Only events with such properties."),
            .init("hark events --since -1w --spreadsheet > week.csv", "The last seven days for a spreadsheet."),
            .init("hark events --follow --user ada", "Ada's events as they come."),
            .init("hark events --machine 'kiosk-*' --since today", "On a hub, today's events of the kiosks."),
        ],
        calls: EventList.name,
        run: { arguments, console in
            var query = EventQuery()
            query.name = arguments[.eventName]
            query.condition = try arguments[.where].map { text throws(ToolError) in try ConditionArgument.json(text) }
            try arguments.atMostOne(of: .json, .csv, .spreadsheet)
            try arguments.atMostOne(of: follow, .csv)
            try arguments.atMostOne(of: follow, .spreadsheet)
            try show(&query, arguments, console)
        })

    static let logs: Command = Command(
        name: "logs",
        summary: "Show log entries, and follow them as they come.",
        about: """
            Shows what 'hark log' and programs have logged, oldest first, with time, user, level, message and metadata. On a \
            terminal the level comes first, and long user ids are cut. Entries stay here, sent or not, until retention or a \
            clear removes them. Control characters are shown as escapes. With --json each line is an entry as JSON.

            --user and --anonymous mean the user of the session that an entry belongs to, as with a clear. This includes entries \
            about the user, and entries about no user while the user's session was open.

            --since, --until and --follow are as with 'hark events'.
            """,
        options: [
            .session, .user, .anonymous, .app, .machine, .group, level, .since, .until, after, limit, follow,
            Option("json", "j", "Print each entry as a line of JSON."),
        ],
        examples: [
            .init("hark logs --since today --level warning", "Today's warnings and errors."),
            .init("hark logs --follow", "The newest 10, and new ones as they come."),
            .init("hark logs --json --limit 100 | jq -r .message", "Process them with another program."),
        ],
        run: { arguments, console in
            var query = EventQuery(kind: .logs)
            query.level = arguments[level].map(Self.atLeast)
            try show(&query, arguments, console)
        })

    /// A level is the least that is shown, so a + behind it means the same.
    private static func atLeast(_ level: String) -> String {
        level.hasSuffix("+") ? String(level.dropLast()) : level
    }

    private static let level = Option(
        "level", value: "LEVEL", values: .words(LogLevel.allCases.map(\.rawValue)),
        "Only entries of this level or a more severe one: info, warning or error, or warning+; messages: only texts shown to users."
    )
    private static let after = Option("after", value: "SEQ", "Only records after this sequence number.")
    private static let limit = Option(
        "limit", "l", value: "N", "Only the newest N; with --after, the first N after it.")
    private static let follow = Option("follow", "f", "Go on and show new ones as they come.")

    private static func show(_ query: inout EventQuery, _ arguments: Arguments, _ console: Console) throws {
        try arguments.atMostOne(of: follow, .until)
        let limit = try arguments.integer(limit, in: 1...Int64.max)
        query.app = arguments[.app]
        query.machines = MachineScope(arguments)
        query.after = try arguments.integer(after, in: 0...Int64.max)
        (query.since, query.until) = try TimeArgument.range(arguments)
        var connection = try Connection()
        query.scope = try RecordScope(arguments, &connection)
        if query.kind == .events, let form = CSVTable(arguments, console) {
            var table = EventCSV(query, form, console)
            return try table.print(limit, &connection)
        }

        let printer = EventPrinter(
            console, query.kind, json: arguments.has(.json), showsUser: query.kind == .logs || !query.isOfOneUser)
        guard arguments.has(follow) else {
            try list(query, limit, &connection, printer)
            if printer.count == 0 {
                Doubts(console: console).condition(arguments[.where], on: query.name, &connection)
            }
            return
        }
        // Future events may match a condition that no event has matched so far, so a doubt is only reported.
        Doubts(console: console).condition(arguments[.where], on: query.name, &connection)
        var follower = EventFollower(query, printer, console)
        try follower.run(consume connection, newest: limit ?? 10)
    }

    private static func list(
        _ query: EventQuery, _ limit: Int64?, _ connection: inout Connection, _ printer: EventPrinter
    ) throws {
        if let limit, query.after == nil {
            for line in try query.newest(limit, &connection) { try printer.print(JSONText(line)) }
        } else {
            try query.forEachLine(&connection, limit: limit) { try printer.print(JSONText($0)) }
        }
        // Other programs take a count as -n; here -n is a name.
        if printer.count == 0, let name = query.name, Int(name) != nil {
            printer.console.say("hark: no event is called '\(name)'; --limit \(name) shows the newest \(name)")
        } else if printer.count == 0, printer.console.outputIsTerminal {
            printer.console.say(query.kind == .events ? "hark: no such events" : "hark: no such log entries")
        }
    }
}

extension EventQuery {
    fileprivate var isOfOneUser: Bool { scope != .all }
}
