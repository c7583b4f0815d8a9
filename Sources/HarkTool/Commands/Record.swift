import HarkClient
import HarkWire

extension Command {
    static let record: Command = Command(
        name: "record",
        summary: "Record an event.",
        usage: ["NAME [KEY=TEXT …] [KEY:=JSON …]", "--stdin"],
        about: """
            Records an event in the open session of the app. Without an open session, an anonymous one begins. When hark returns \
            without an error, the event is on disk.

            KEY=TEXT is a text property, KEY:=JSON a number, true, false or a quoted string. On a terminal, hark shows the \
            daemon's answer; in a script it prints nothing.

            With --unattended, or HARK_UNATTENDED=1 in the environment (for example of a crontab), the event belongs to no user, \
            even while a user has a session. Use it for jobs that run without a person.

            With --stdin each line of standard input is one event, which may have its own time:

              {"name": "backup.done", "properties": {"host": "nas", "gigabytes": 12.5}}
              {"name": "power.cut", "timestamp": "2026-11-21T03:12:00Z"}

            A property that is null is left out. Objects within objects are refused; --flatten gives them names with dots, \
            {"a": {"b": 1}} becomes a.b, lists get numbers, and byte lists of the journal become text. With --csv the first line \
            names the columns, with commas, semicolons or tabs between them. The columns 'name' and 'timestamp' are the event's \
            name and time, unless --name, --name-from or --time-from say otherwise; the others are its properties, numbers, \
            true and false as such, and empty fields are left out.

            hark names the first ten refused lines on standard error with their numbers, and counts further ones by reason. The \
            other lines are recorded, and the exit code is 65. When the daemon goes away, hark waits for it to come back and \
            sends unanswered lines again; each line is recorded once. When hark is interrupted, or has waited for too long, it \
            says how many lines are safely on disk.
            """,
        options: [
            .app, RecordOptions.user, .unattended, RecordOptions.timestamp, .json, .quiet, RecordOptions.stdin,
        ] + RecordOptions.ofLines,
        examples: [
            .init("hark record door.opened", "An event without properties."),
            .init("hark record backup.done host=nas gigabytes:=12.5 ok:=true", "A text, a number and a boolean."),
            .init("hark record door.opened --timestamp 10m", "Something that happened ten minutes ago."),
            .init("zcat events.jsonl.gz | hark record --stdin", "Many events, as fast as the disk takes them."),
            .init("hark record --stdin --csv --name sale --time-from date < sales.csv", "The rows of a table."),
            .init(
                "journalctl -o json -u ssh | hark record --stdin --flatten --name ssh",
                "Entries of the journal."),
        ],
        operands: 0...Int.max,
        calls: EventRecord.name,
        run: { arguments, console in
            try arguments.atMostOne(of: RecordOptions.user, .unattended)
            if arguments.has(RecordOptions.stdin) {
                var stream = try RecordStream(
                    EventRecord.name, "event", try RecordOptions.form(arguments), arguments, console)
                return try stream.run()
            }
            try recordOne(arguments, console)
        })

    private static func recordOne(_ arguments: Arguments, _ console: Console) throws {
        for option in RecordOptions.ofLines where arguments.has(option) {
            throw ToolError.usage("'--\(option.name)' goes with '--stdin'")
        }
        guard let name = arguments.operands.first else {
            throw ToolError.usage("the event's name is missing", hint: "Write 'hark record NAME', or --stdin for many.")
        }
        try arguments.atMostOne(of: .json, .quiet)
        var request = EventRecord(name, app: arguments[.app])
        var texts: [String] = []
        if arguments.operands.count > 1 {
            let properties = try PropertyArguments(arguments.operands.dropFirst())
            request.properties = AnyJSON(text: properties.json)
            texts = properties.textsLikeNumbers
        }
        if let text = arguments[RecordOptions.timestamp] {
            request.timestamp = try TimeArgument.happened(text, option: RecordOptions.timestamp.name).description
        }
        request.userId = arguments[RecordOptions.user]
        request.unattended = arguments.isUnattended(unless: RecordOptions.user) ? true : nil

        var connection = try Connection()
        let result = try connection.call(request).text
        Warnings.say(result, console)
        if !arguments.has(.quiet) { Doubts(console: console).texts(texts) }
        if try !console.printed(json: result, arguments), console.outputIsTerminal, !arguments.has(.quiet) {
            let event = RecordedEventInfo(result)
            let (seq, session) = (event.seq.map(String.init) ?? "null", event.sessionId?.description ?? "?")
            try console.print("recorded \(VisibleText.make(name)) as #\(seq) in session \(session)")
        }
    }
}

/// The options of `record` for single events and for standard input.
enum RecordOptions {
    static let user = Option(
        "user", "u", value: "USER",
        "The user whose session begins if the app has none open. An open session of another user is an error.")
    static let timestamp = Option(
        "timestamp", "t", value: "TIME",
        "When it happened, like \(TimeArgument.absoluteForms); without it, now. The time at which it is received is now in any case."
    )
    static let stdin = Option("stdin", "Record the lines of standard input, one event each.")
    static let name = Option(
        "name", "n", value: "NAME", "With --stdin: each line is the properties object of an event of that name.")
    static let wait = Option(
        "wait", value: "TIME",
        "With --stdin: how long to wait for a daemon that went away, like 90s or 10m; 0 for not at all. Default: 30s.")
    /// The timeout in seconds.
    static let patience: Int64 = 30
    static let bare = Option("bare", "With --stdin: each line is nothing but the name of an event.")
    static let flatten = Option(
        "flatten", "With --stdin: properties within objects and lists become properties with dots in their names.")
    static let csv = Option("csv", "With --stdin: the lines are a table, whose first row names the columns.")
    static let nameFrom = Option(
        "name-from", value: "COLUMN", "With --csv, or --flatten: the column or property that names each event.")
    static let timeFrom = Option(
        "time-from", value: "COLUMN",
        "With --csv, or --flatten and --name or --name-from: the column or property with the time of each event.")
    /// Options that apply to standard input only.
    static let ofLines = [name, bare, flatten, csv, nameFrom, timeFrom, wait]

    /// Returns the parser of lines for these options.
    static func form(_ arguments: Arguments) throws(ToolError) -> any LineForm {
        if let extra = arguments.operands.first {
            throw ToolError.usage(
                "unexpected argument '\(extra)'", hint: "With --stdin the events come from standard input.")
        }
        try arguments.atMostOne(of: name, bare, nameFrom)
        try arguments.atMostOne(of: csv, bare)
        try arguments.atMostOne(of: csv, flatten)
        try arguments.atMostOne(of: bare, flatten)
        for option in [nameFrom, timeFrom] where arguments.has(option) {
            let isNamed = arguments.has(name) || arguments.has(nameFrom)
            guard arguments.has(csv) || arguments.has(flatten) && isNamed else {
                throw ToolError.usage(
                    "'--\(option.name)' goes with '--csv', or with '--flatten' and a name of the events",
                    hint: "Lines of JSON tell \"name\" and \"timestamp\" themselves.")
            }
        }
        if arguments.has(timestamp) {
            throw ToolError.usage(
                "'--timestamp' does not go with '--stdin'", hint: "Each line may have a \"timestamp\" of its own.")
        }
        return arguments.has(csv) ? CSVLine(fields(arguments)) : RecordLine(arguments)
    }

    /// Returns the mapping of names and values to events.
    static func fields(_ arguments: Arguments) -> FieldEvent {
        var common = JSONWriter()
        common.beginObject()
        append(arguments, to: &common)
        return FieldEvent(
            name: arguments[name], nameFrom: arguments[nameFrom], timeFrom: arguments[timeFrom],
            common: Array(common.bytes.dropFirst()))
    }

    /// Writes the members for `--app` and `--user`.
    static func append(_ arguments: Arguments, to params: inout JSONWriter) {
        if let app = arguments[.app] { params.member("app", app) }
        if let user = arguments[user] { params.member("userId", user) }
        if arguments.isUnattended(unless: user) {
            params.key("unattended")
            params.bool(true)
        }
    }
}
