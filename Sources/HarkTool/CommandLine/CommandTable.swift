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

            Where a survey, a form, a counter, an execution, a watch, a destination, a session, a presentation or a question is named, \
            its title will do as well as its id, and so will the beginning of either that is no other's; a whole id always means itself. \
            A command that changes or removes what is named says what it took for a beginning of at least 4 letters, and takes that of a \
            name only from somebody who types it, so that a script never means another thing.
            """,
        options: [version],
        examples: [
            .init("hark record backup.done host=nas gigabytes:=12.5", "Record an event with a text and a number."),
            .init("hark events --since today", "Show what happened today."),
            .init("hark events --follow --json | jq .name", "Work on events as they come."),
            .init("hark ask", "Answer the survey that waits."),
        ],
        members: [
            .init("record") { .record },
            .init("run") { .run },
            .init("log") { .log },
            .init("session") { .session },
            .init("events") { .events },
            .init("stats") { .stats },
            .init("top") { .top },
            .init("chart") { .chart },
            .init("report") { .report },
            .init("logs") { .logs },
            .init("sql") { .sql },
            .init("form") { .form },
            .init("forms") { .forms },
            .init("profile") { .profile },
            .init("counter") { .counter },
            .init("background") { .background },
            .init("execution") { .execution },
            .init("watch") { .watch },
            .init("prompt") { .prompt },
            .init("ask") { .ask },
            .init("mcp") { .mcp },
            .init("surveys") { .surveys },
            .init("survey") { .surveyFamily },
            .init("answer") { .answer },
            .init("dismiss") { .dismiss },
            .init("snooze") { .snooze },
            .init("mute") { .mute },
            .init("unmute") { .unmute },
            .init("quiet") { .quietHours },
            .init("study") { .study },
            .init("explain") { .explain },
            .init("results") { .results },
            .init("answers") { .answersCommand },
            .init("debug") { .debug },
            .init("agent") { .agent },
            .init("export") { .export },
            .init("import") { .import },
            .init("clear") { .clear },
            .init("retention") { .retention },
            .init("status") { .status },
            .init("doctor") { .doctor },
            .init("repair") { .repair },
            .init("delivery") { .delivery },
            .init("destination") { .destinationFamily },
            .init("fleet") { .fleet },
            .init("network") { .network },
            .init("flags") { .flags },
            .init("config") { .config },
            .init("call") { .call },
            .init("completion") { .completion },
            .init("manual") { .manual },
            .init("help") { .helpCommand },
        ],
        run: { arguments, console in
            guard arguments.has(version) else {
                throw ToolError.usage("a command is missing", hint: "'hark help' lists them.")
            }
            try console.print("hark \(Version.current)")
        })

    private static let version = Option("version", "V", "Print the version and exit.")
}
