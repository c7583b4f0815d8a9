import HarkClient
import HarkWire

extension Command {
    static let record: Command = Command(
        name: "record",
        summary: "Record an event.",
        usage: ["NAME [KEY=TEXT …] [KEY:=JSON …]", "--stdin"],
        about: """
            Records an event in the open session of the app; without one, an anonymous session begins. When hark returns \
            without an error the event is on disk.

            KEY=TEXT is a text property, KEY:=JSON a number, true, false or a quoted string. On a terminal the daemon's \
            answer is shown; in a script nothing is printed.

            With --stdin each line of standard input is one event, which may tell its own time:

              {"name": "backup.done", "properties": {"host": "nas", "gigabytes": 12.5}}
              {"name": "power.cut", "timestamp": "2026-11-21T03:12:00Z"}

            A line that is refused is named on standard error with its number, the others are recorded, and the exit \
            code is 65. When the daemon goes away, hark waits for it to come back and sends again what was not answered; each \
            line is recorded once. When hark is interrupted, or has waited for too long, it tells how many lines are safely \
            on disk.
            """,
        options: [
            .app, RecordOptions.user, RecordOptions.timestamp, .json, .quiet, RecordOptions.stdin, RecordOptions.name,
            RecordOptions.bare, RecordOptions.wait,
        ],
        examples: [
            .init("hark record door.opened", "An event without properties."),
            .init("hark record backup.done host=nas gigabytes:=12.5 ok:=true", "A text, a number and a boolean."),
            .init("hark record door.opened --timestamp 10m", "Something that happened ten minutes ago."),
            .init("zcat events.jsonl.gz | hark record --stdin", "Many events, as fast as the disk takes them."),
        ],
        operands: 0...Int.max,
        run: { arguments, console in
            if arguments.has(RecordOptions.stdin) { return try RecordStream(arguments, console).run() }
            try recordOne(arguments, console)
        })

    private static func recordOne(_ arguments: Arguments, _ console: Console) throws {
        for option in [RecordOptions.name, RecordOptions.bare, RecordOptions.wait] where arguments.has(option) {
            throw ToolError.usage("'--\(option.name)' goes with '--stdin'")
        }
        guard let name = arguments.operands.first else {
            throw ToolError.usage("the event's name is missing", hint: "Write 'hark record NAME', or --stdin for many.")
        }
        try arguments.atMostOne(of: .json, .quiet)
        var params = JSONWriter()
        params.beginObject()
        params.member(.newEvent, name)
        if arguments.operands.count > 1 {
            params.member(.properties, raw: try PropertyArguments(arguments.operands.dropFirst()).json)
        }
        if let text = arguments[RecordOptions.timestamp] {
            params.member(
                .timestamp, try TimeArgument.parse(text, option: RecordOptions.timestamp.name, now: LocalTime.now))
        }
        RecordOptions.append(arguments, to: &params)
        params.endObject()

        var connection = try Connection()
        let result = try connection.call(.eventRecord, params.bytes)
        Warnings.say(result, console)
        if arguments.has(.json) {
            try console.print(json: result)
        } else if console.outputIsTerminal, !arguments.has(.quiet) {
            let seq = result.member("seq")?.text ?? "?"
            let session = result.member("sessionId")?.string ?? "?"
            try console.print("recorded \(VisibleText.make(name)) as #\(seq) in session \(VisibleText.make(session))")
        }
    }
}

/// The options of `record` that both of its ways have or look at.
enum RecordOptions {
    static let user = Option(
        "user", "u", value: "USER",
        "Whose session begins if the app has none open; an open one of another user is an error.")
    static let timestamp = Option(
        "timestamp", "t", value: "TIME",
        "When it happened, like \(TimeArgument.forms); without it, now. It is received now all the same.")
    static let stdin = Option("stdin", "Record the lines of standard input, one event each.")
    static let name = Option(
        "name", "n", value: "NAME", "With --stdin: each line is the properties object of an event of that name.")
    static let wait = Option(
        "wait", value: "TIME",
        "With --stdin: how long to wait for a daemon that went away, like 90s or 10m; 0 for not at all. Default: 30s.")
    /// In seconds.
    static let patience: Int64 = 30
    static let bare = Option("bare", "With --stdin: each line is nothing but the name of an event.")

    /// Writes the members that `--app` and `--user` stand for.
    static func append(_ arguments: Arguments, to params: inout JSONWriter) {
        params.member(.app, arguments[.app])
        params.member(.userOfEvent, arguments[user])
    }
}
