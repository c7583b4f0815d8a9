import HarkClient
import HarkWire

extension Command {
    static let log: Command = Command(
        name: "log",
        summary: "Store a log line, and send it to the servers that take logs.",
        usage: ["MESSAGE [KEY=TEXT …] [KEY:=JSON …]", "--stdin [KEY=TEXT …] [KEY:=JSON …]"],
        about: """
            Stores a log line, which 'hark logs' shows, and sends it to the destinations that take logs. When hark returns \
            without an error, the line is on disk. It is sent now, or when the network or the server is back. Without a \
            destination it stays here; on a terminal hark says so, and --json has "destinations": [].

            With --confirm hark waits for a server to accept it. If none does at once, the exit code says why, and the line is \
            delivered later if that can help: 69 the server was not reached, 75 it asks for fewer requests, 76 it refused the \
            line, 77 its quota is used up, 65 the line does not fit into a request, 78 no destination takes it (then nothing is \
            kept).

            KEY=TEXT and KEY:=JSON are metadata, as with 'hark record'.

            With --stdin each line of standard input is a message, and is stored as it comes.
            """,
        options: [level, user, .unattended, .app, confirm, destination, .quiet, .json, stdin],
        examples: [
            .init("hark log 'backup done' host=nas gigabytes:=12.5", "Information, with two metadata."),
            .init(
                "hark log 'Payment failed' --level error --confirm code=card_declined",
                "Wait until the server has accepted it."),
            .init("make 2>&1 | hark log --stdin job=build", "The output of a program."),
        ],
        operands: 0...Int.max,
        calls: LogWrite.name,
        run: { arguments, console in
            try arguments.atMostOne(of: .json, .quiet)
            try arguments.atMostOne(of: user, .unattended)
            var request = LogWrite()
            let isStream = arguments.has(stdin)
            if isStream {
                try arguments.atMostOne(of: stdin, confirm)
                try arguments.atMostOne(of: stdin, .json)
            } else if let message = arguments.operands.first {
                request.message = message
            } else {
                throw ToolError.usage("MESSAGE is missing", hint: "For the lines of standard input give --stdin.")
            }
            (request.level, request.userId, request.app) = (arguments[level], arguments[user], arguments[.app])
            request.unattended = arguments.isUnattended(unless: user) ? true : nil
            let metadata = arguments.operands.dropFirst(isStream ? 0 : 1)
            if !metadata.isEmpty { request.metadata = AnyJSON(text: try PropertyArguments(metadata).json) }
            if isStream {
                var stream = try RecordStream(LogWrite.name, "line", LogLine(common: request), arguments, console)
                return try stream.run()
            }
            request.confirm = arguments.has(confirm) ? true : nil
            if let name = arguments[destination] {
                guard arguments.has(confirm) else { throw ToolError.usage("'--destination' goes with '--confirm'") }
                request.destination = name
            }
            var connection = try Connection()
            // The daemon knows how long a server may take, so the client sets no timeout.
            if arguments.has(confirm) { connection.patience = nil }
            let reply = try connection.call(request)
            guard !arguments.has(.quiet) else { return }
            Warnings.say(reply.text, console)
            let result = reply.value
            if result.truncated == true { console.say("hark: the message was too long and was cut") }
            if try !console.printed(json: reply.text, arguments), console.outputIsTerminal {
                let seq = result.seq.map(String.init) ?? "null"
                let goesNowhere = result.destinations.isEmpty
                let server =
                    result.delivered.map { "; \(VisibleText.make($0)) has it" }
                    ?? (goesNowhere ? "; no destination takes it, 'hark logs' shows it" : "")
                try console.print("logged as #\(seq)\(server)")
            }
        })

    private static let level = Option(
        "level", "l", value: "LEVEL", values: .words(LogLevel.allCases.map(\.rawValue)),
        "The level: info (the default), warning, error, or messages (texts shown to users).")
    private static let user = Option("user", "u", value: "USER", "The user it is about.")
    private static let stdin = Option("stdin", "Store the lines of standard input, one message each.")
    private static let confirm = Option("confirm", "c", "Wait until a server has accepted it.")
    private static let destination = Option(
        "destination", "d", value: "NAME", values: .names(.destination),
        "With --confirm: the destination to wait for.")
}
