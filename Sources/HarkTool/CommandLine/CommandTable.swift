import HarkWire

/// The commands there are, in the order in which help shows them.
///
/// A command is one file in `Commands`; it becomes known here and nowhere else.
enum CommandTable {
    static let hark: Command = Command(
        name: "hark",
        summary: "Record and read events of this machine, and answer its surveys.",
        about: """
            hark talks to harkd, the event daemon. What is recorded is on disk before hark returns.
            """,
        options: [version],
        examples: [
            .init("hark record backup.done host=nas gigabytes:=12.5", "Record an event with a text and a number."),
            .init("hark events --since today", "Show what happened today."),
            .init("hark events --follow --json | jq .name", "Work on events as they come."),
            .init("hark ask", "Answer the survey that waits."),
        ],
        commands: [
            .record, .run, .log, .session, .events, .logs,
            .form, .forms, .profile,
            .counter, .background, .execution,
            .ask, .surveys, .answer, .dismiss, .snooze, .explain, .results, .debug, .agent,
            .export, .import, .clear, .retention,
            .status, .delivery, .network, .flags, .config, .call,
            .completion, .manual, .helpCommand,
        ],
        run: { arguments, console in
            guard arguments.has(version) else {
                throw ToolError.usage("a command is missing", hint: "'hark help' lists them.")
            }
            try console.print("hark \(Version.current)")
        })

    private static let version = Option("version", "V", "Print the version and exit.")
}
