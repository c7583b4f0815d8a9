import Glibc
import HarkClient
import HarkWire

extension Command {
    static let run: Command = Command(
        name: "run",
        summary: "Run a program, and record how it went.",
        usage: ["[KEY=TEXT …] [KEY:=JSON …] -- PROGRAM [ARGUMENT …]"],
        about: """
            Runs the program as the shell would, and ends with its exit code: 128 and the number of the signal that ended \
            it, 127 if there is no such program, 126 if it cannot be run. Signals that hark gets are passed on to it.

            Afterwards one event is recorded, by default under the program's name: "ok" (whether the exit code was 0), \
            "exitCode" or "signal", "startedAt", "seconds", "cpuSeconds", "peakMemoryBytes", and in "errors" the end of what \
            it wrote on standard error, which is shown as ever. Its arguments are not recorded, as passwords may be among \
            them. KEY=TEXT and KEY:=JSON are recorded as well, as with 'hark record'.

            Where no daemon answers, the program runs all the same; that its event is lost is said on standard error.
            """,
        options: [RunOptions.name, RunOptions.user, .app, RunOptions.tail, .quiet],
        examples: [
            .init("hark run --name backup -- restic backup /home", "Know every morning how the backup went."),
            .init("hark run host=nas -- rsync -a /srv nas:/srv", "An event 'rsync' with a property of its own."),
            .init("hark events --name backup --since yesterday", "How it went."),
        ],
        operands: 0...Int.max,
        run: { arguments, console in try RunCommand(arguments, console).run() })
}

enum RunOptions {
    static let name = Option("name", "n", value: "NAME", "The event's name; without it, the program's.")
    static let user = Option(
        "user", "u", value: "USER",
        "Whose session begins if the app has none open; an open one of another user is an error.")
    static let tail = Option(
        "errors", "e", value: "BYTES",
        "How much of the end of its errors is recorded, 4096 without it, at most 65536; with 0 they do not go through hark, "
            + "so that the program sees the terminal there.")
}

/// `hark run`.
struct RunCommand {
    private let arguments: Arguments
    private let console: Console
    /// Where the program's words begin among those of the process.
    private let first: Int
    private let tailBytes: Int
    private let properties: PropertyArguments

    init(_ arguments: Arguments, _ console: Console) throws(ToolError) {
        self.arguments = arguments
        self.console = console
        let words = CommandLine.arguments
        guard let dashes = words.firstIndex(of: "--"), dashes + 1 < words.count else {
            throw .usage("the program is missing", hint: "Write it behind two dashes: hark run -- PROGRAM ARGUMENT …")
        }
        first = dashes + 1
        tailBytes = Int(try arguments.integer(RunOptions.tail, in: 0...65_536) ?? 4_096)
        properties = try PropertyArguments(arguments.operands.dropLast(words.count - first))
        if let taken = Self.told.first(where: properties.has) {
            throw .usage("property '\(taken)' is one that hark records itself", hint: "Choose another name.")
        }
    }

    private static let told = [
        "program", "ok", "exitCode", "signal", "startedAt", "seconds", "cpuSeconds", "peakMemoryBytes", "problem",
        "errors",
    ]

    func run() throws -> Never {
        try console.flush()
        let started = LocalTime.now
        // As they came: a file's name need not be text.
        let words = CommandLine.unsafeArgv + first
        var end = WatchedProgram.End()
        var problem: String?
        do throws(Errno) {
            var program = try WatchedProgram(words, tailBytes: tailBytes)
            end = program.wait()
        } catch {
            end.code = error.code == ENOENT ? 127 : 126
            problem = error.text
            console.say("hark run: \(VisibleText.make(CommandLine.arguments[first])): \(error.text)")
        }
        record(end, problem, started)
        exit(end.code ?? 128 + (end.signal ?? 0))
    }

    private func record(_ end: WatchedProgram.End, _ problem: String?, _ started: Timestamp) {
        let program = CommandLine.arguments[first].split(separator: "/").last.map(String.init) ?? ""
        var params = JSONWriter()
        params.beginObject()
        params.member(.newEvent, arguments[RunOptions.name] ?? program)
        params.member(.app, arguments[.app])
        params.member(.userOfEvent, arguments[RunOptions.user])
        var all = properties
        all.add("program", program)
        all.add("ok", end.code == 0)
        if let code = end.code { all.add("exitCode", Int64(code)) }
        if let signal = end.signal { all.add("signal", Self.name(of: signal)) }
        all.add("startedAt", started.description)
        all.add("seconds", Self.rounded(end.seconds))
        all.add("cpuSeconds", Self.rounded(end.cpuSeconds))
        all.add("peakMemoryBytes", end.peakMemoryBytes)
        if let problem { all.add("problem", problem) }
        if !end.errors.isEmpty { all.add("errors", end.errors) }
        params.member(.properties, raw: all.json)
        params.endObject()
        do throws(ClientError) {
            var connection = try Connection()
            connection.patience = 10
            let result = try connection.call(.eventRecord, params.bytes)
            if !arguments.has(.quiet) { Warnings.say(result, console) }
        } catch {
            let why = error.message.split(separator: "\n").map { VisibleText.make(String($0)) }.joined(separator: " ")
            console.say("hark run: how it went could not be recorded: \(why)")
        }
    }

    /// To a tenth of a millisecond.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 10_000).rounded() / 10_000 }

    private static func name(of signal: CInt) -> String {
        let known: [CInt: String] = [
            SIGHUP: "HUP", SIGINT: "INT", SIGQUIT: "QUIT", SIGILL: "ILL", SIGABRT: "ABRT", SIGBUS: "BUS", SIGFPE: "FPE",
            SIGKILL: "KILL", SIGUSR1: "USR1", SIGSEGV: "SEGV", SIGUSR2: "USR2", SIGPIPE: "PIPE", SIGALRM: "ALRM",
            SIGTERM: "TERM", SIGXCPU: "XCPU", SIGXFSZ: "XFSZ", SIGSYS: "SYS",
        ]
        return known[signal] ?? "\(signal)"
    }
}
