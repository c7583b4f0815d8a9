import HarkAsking
import HarkClient
import HarkWire

extension Command {
    static let simulate: Command = Command(
        name: "simulate",
        summary: "Show what a survey file would have asked in the past.",
        usage: ["[FILE]"],
        about: """
            Runs the engine on the daemon's past events, with the clock of that time. It shows who would have been asked what, \
            how often each limit stopped a survey, and which survey came before another. Nothing is recorded, sent or shown; \
            your daemon only reads for it.

            Without FILE, it is the file in force. A showing that really happened for the same event is shown and answered as it \
            was. A showing without such a counterpart is shown as soon as possible, for 30 seconds. --answered says which share \
            of these is answered, chosen by --seed; without it, the real share up to that time.

            --against compares FILE with another one, or with the one in force ('current'). --list prints each showing \
            instead of the counts.

            Surveys that listen to counters or have a schedule are taken as they really were, as no event triggers them. Mutes \
            count only from 'dismiss for ever'; other mutes, quiet hours and absences are not in the log. --since and --until \
            mean when events came, and take a time like \(TimeArgument.forms).
            """,
        options: [since, until, against, answered, seed, list, json],
        examples: [
            .init("hark simulate new.json --against current", "The effect of a new file on the last 30 days."),
            .init("hark simulate --since -7d --list", "Each showing of the last seven days."),
        ],
        operands: 0...1,
        completes: .files,
        run: { arguments, console in
            let request = try SimulationRequest(arguments, now: LocalTime.now)
            try request.run(console)
        })

    fileprivate static let since = Option("since", "S", value: "TIME", "From then on. Default: 30 days ago.")
    fileprivate static let until = Option("until", "U", value: "TIME", "Up to then. Default: now.")
    fileprivate static let against = Option(
        "against", value: "FILE", values: .files, "Compare with this file, or with 'current', the one in force.")
    fileprivate static let answered = Option(
        "answered", value: "PERCENT", "The share of showings without a counterpart that are answered.")
    fileprivate static let seed = Option("seed", value: "N", "Chooses which of them. Default: 1.")
    fileprivate static let list = Option("list", "Print each showing, in the order in which they ended.")
    fileprivate static let json = Option("json", "j", "Print JSON; with --list, a line for each showing.")
}

/// The request of `hark simulate`.
struct SimulationRequest {
    let file: String
    let against: String?
    let since: Timestamp
    let until: Timestamp
    /// From 0 to 1.
    let answered: Double?
    let seed: Int64
    let isList: Bool
    let isJSON: Bool

    /// Milliseconds of the time that is simulated unless `--since` says otherwise.
    private static let usualSpan: Int64 = 30 * 86_400_000

    init(_ arguments: Arguments, now: Timestamp) throws {
        let range = try TimeArgument.range(arguments)
        until = min(range.until ?? now, now)
        since = range.since ?? until.adding(milliseconds: -Self.usualSpan)
        guard since < until else { throw ToolError.usage("'--since' must be before '--until', and in the past") }
        answered = try arguments[Command.answered].map(Self.part)
        seed = try arguments.integer(Command.seed, in: 0 ... .max) ?? 1
        isList = arguments.has(Command.list)
        isJSON = arguments.has(Command.json)
        let given = arguments.operands.first
        if given == "-" {
            throw ToolError.usage("'simulate' reads files, not standard input", hint: "Save it to a file first.")
        }
        let other = arguments[Command.against]
        let current = given == nil || other == "current" ? try Self.current() : ""
        file = given ?? current
        against = other == "current" ? current : other
    }

    /// Reads `30%`, `30` or `0.3%`.
    private static func part(_ text: String) throws(ToolError) -> Double {
        let digits = text.hasSuffix("%") ? text.dropLast() : text[...]
        guard let percent = Double(digits), (0...100).contains(percent) else {
            throw .usage("'--answered' takes a part of a hundred such as 30%, not \(VisibleText.value(text))")
        }
        return percent / 100
    }

    /// Returns the file in force, if the daemon names it.
    private static func current() throws -> String {
        var connection = try Connection()
        var request = SurveyList()
        request.limit = 1
        guard let place = try connection.call(request).value.file else { return SurveyFile.usual }
        guard place.hasPrefix("/") else {
            throw ToolError(
                .noInput, "the surveys in force come from \(VisibleText.make(place)), and not from a file here",
                hint: "Name a file.")
        }
        return place
    }

    func run(_ console: Console) throws {
        let program = try SimulationProgram(
            [file] + (against.map { ["--against", $0] } ?? []) + (isList ? ["--showings"] : []))
        guard let wanted = try program.line().map({ SimulationNeed($0) }) else {
            throw ToolError(.software, "harkd --simulate did not say which events it needs")
        }
        try program.send(terms)
        // Without a reach, rules ask for all that ever came.
        let reach = wanted.reach
        var past = try StoredPast(
            wanted.events, since: reach.map { since.adding(milliseconds: -$0) } ?? .earliest,
            until: until)
        let progress = Progress(console)
        try past.forEachLine { line, at in
            try program.send(line)
            progress.show("at \(LocalTime.secondText(at)) …")
        }
        try program.finish()
        progress.clear()
        while let line = try program.line() {
            if let showing = line.member("showing") {
                try isJSON
                    ? console.print(json: showing)
                    : console.print(SimulationText.line(of: SimulatedShowingInfo(showing)))
            } else if !isList {
                try tell(line, past.begin, console)
            }
        }
    }

    private var terms: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.key("terms")
        json.beginObject()
        json.key("since")
        json.timestamp(since)
        json.key("until")
        json.timestamp(until)
        if let answered {
            json.key("answered")
            json.double(answered)
        }
        json.member("seed", seed)
        json.endObject()
        json.endObject()
        json.newline()
        return json.bytes
    }

    private func tell(_ report: JSONText, _ begin: Timestamp?, _ console: Console) throws {
        guard isJSON else {
            let text = SimulationText(
                SimulationResult(report), since...until, begin: begin, console.style, columns: console.columns)
            return try console.print(text.text)
        }
        var json = JSONWriter()
        json.beginObject()
        json.key("since")
        json.timestamp(since)
        json.key("until")
        json.timestamp(until)
        json.key("logBegins")
        if let begin { json.timestamp(begin) } else { json.null() }
        for name in ["simulations", "differences"] as [StaticString] {
            guard let value = report.member(name) else { continue }
            json.key(name)
            json.raw(value.bytes)
        }
        json.endObject()
        try console.print(json: JSONText(json.bytes[...]))
    }
}
