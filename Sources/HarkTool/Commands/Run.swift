import Glibc
import HarkClient
import HarkWire

extension Command {
    static let run: Command = Command(
        name: "run",
        summary: "Run a program, and record how it went.",
        usage: ["[KEY=TEXT …] [KEY:=JSON …] -- PROGRAM [ARGUMENT …]"],
        about: """
            Runs the program as the shell would, and ends with its exit code: 128 plus the number of the signal that ended it, \
            127 if there is no such program, 126 if it cannot be run. hark passes signals on to the program.

            An executable file that is neither a program nor begins with #! is run as a script of /bin/sh.

            When the program has begun, hark records the event run.started with "run" (the name of the event below), "program", \
            "pid", "startedAt" and "host", unless --no-start is given. With --warn-after, hark records run.overdue when the \
            program has run for that long, with "seconds" as well, and writes a line on standard error; the program runs on.

            Afterwards one event is recorded, by default under the program's name: "ok" (whether the exit code was 0), \
            "exitCode" or "signal", "pid", "startedAt", "seconds", "cpuSeconds", "peakMemoryBytes", and in "errors" the end of \
            its output on standard error, which is still shown. Its arguments are not recorded, as passwords may be among them. \
            KEY=TEXT and KEY:=JSON are recorded as well, with each of these events, as with 'hark record'.

            The events belong to no user, even while a user has a session, unless --user names one.

            If hark itself is killed (kill -9) or the power fails, the outcome is not recorded. A program that is still there \
            runs on until it writes to standard error; with --errors 0 it may write there as well. The next run of that name \
            within \(EarlierRuns.days) days records run.unseen, with the properties of run.started, "startedSeq", and in \
            "running" whether the program is still there. A watch notices it sooner; see 'hark watch'.

            If no daemon answers, the program runs anyway, and hark says on standard error that its events are lost.
            """,
        options: [
            RunOptions.name, RunOptions.user, .app, RunOptions.warnAfter, RunOptions.noStart, RunOptions.tail, .quiet,
        ],
        examples: [
            .init("hark run --name backup -- restic backup /home", "See every morning how the backup went."),
            .init(
                "hark run --warn-after 2h --name backup -- restic backup /home",
                "Notice a hanging program while it runs."),
            .init("hark run host=nas -- rsync -a /srv nas:/srv", "An event 'rsync' with a property of its own."),
            .init("hark events --name backup --since yesterday", "How it went."),
        ],
        operands: 0...Int.max,
        completes: .program,
        run: { arguments, console in try RunCommand(arguments, console).run() })
}

enum RunOptions {
    static let name = Option("name", "n", value: "NAME", "The event's name; without it, the program's.")
    static let user = Option(
        "user", "u", value: "USER",
        "The user of the run. This user's session begins if the app has none open; an open session of another user "
            + "is an error. Without it, the run belongs to no user.")
    static let warnAfter = Option(
        "warn-after", "W", value: "SPAN",
        "Say so, and record run.overdue, once it has run for this long: \(DurationArgument.forms).")
    static let noStart = Option("no-start", "Do not record run.started.")
    static let tail = Option(
        "errors", "e", value: "BYTES",
        "How many bytes of the end of its errors are recorded: 4096 without it, at most 65536. With 0, errors do not "
            + "go through hark, so the program sees the terminal there.")
}

/// `hark run`.
struct RunCommand {
    private let arguments: Arguments
    private let console: Console
    /// The index of the program's first word among the process's arguments.
    private let first: Int
    private let tailBytes: Int
    private let warnAfter: Int64?
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
        warnAfter = try arguments.span(RunOptions.warnAfter)
        properties = try PropertyArguments(arguments.operands.dropLast(words.count - first))
        if let taken = Self.told.first(where: properties.has) {
            throw .usage("property '\(taken)' is one that hark records itself", hint: "Choose another name.")
        }
    }

    /// The recorded properties except "host", which callers set when they run something for another machine.
    private static let told = [
        "run", "program", "pid", "ok", "exitCode", "signal", "startedAt", "seconds", "cpuSeconds", "peakMemoryBytes",
        "problem", "errors",
    ]

    func run() throws -> Never {
        try console.flush()
        // Passes the raw bytes, since a file name need not be text.
        let words = CommandLine.unsafeArgv + first
        let name = CommandLine.arguments[first].split(separator: "/").last.map(String.init) ?? ""
        let record = RunRecord(arguments, properties, program: name, console)
        var end = WatchedProgram.End()
        var pid: pid_t?
        var problem: String?
        do throws(Errno) {
            var program = try WatchedProgram(words, tailBytes: tailBytes)
            pid = program.pid
            if !arguments.has(RunOptions.noStart) { record.tell(RunRecord.begun, pid: program.pid) }
            end = program.wait(telling: record, overdueAfter: warnAfter.map(Double.init)) { pid, seconds in
                console.say("hark run: \(VisibleText.make(name)) has run for \(DurationText.make(seconds)) and goes on")
                record.tell(RunRecord.overdue, pid: pid) { properties in
                    properties.add("seconds", Self.rounded(seconds))
                }
            }
        } catch {
            end.code = error.code == ENOENT ? 127 : 126
            problem = error.text
            console.say("hark run: \(VisibleText.make(CommandLine.arguments[first])): \(error.text)")
        }
        record.end(pid: pid) { properties in
            properties.add("ok", end.code == 0)
            if let code = end.code { properties.add("exitCode", Int64(code)) }
            if let signal = end.signal { properties.add("signal", Self.name(of: signal)) }
            properties.add("seconds", Self.rounded(end.seconds))
            properties.add("cpuSeconds", Self.rounded(end.cpuSeconds))
            properties.add("peakMemoryBytes", end.peakMemoryBytes)
            if let problem { properties.add("problem", problem) }
            if !end.errors.isEmpty { properties.add("errors", end.errors) }
        }
        exit(end.code ?? 128 + (end.signal ?? 0))
    }

    /// Rounds to a tenth of a millisecond.
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
