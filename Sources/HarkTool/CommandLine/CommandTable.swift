import HarkWire

/// The commands there are, in the groups and the order in which help shows them.
///
/// A command is one file in `Commands`; it becomes known here and nowhere else.
enum CommandTable {
    static let hark: Command = Command(
        name: "hark",
        summary: "Record and read events of this machine, and answer its surveys.",
        about: "hark talks to harkd, the event daemon. Records are on disk before hark returns.",
        closing: """
            A survey, a form, a counter, an execution, a watch, a destination, a session, a presentation or a question can be \
            named by its id or its title, or by the beginning of either if no other begins the same. A whole id always means \
            itself. A command that changes or removes something needs a beginning of at least 4 letters, and says what it found. \
            It takes the beginning of a name only on a terminal, so that a script never changes the wrong thing.
            """,
        options: [version],
        examples: [
            .init("hark record backup.done host=nas gigabytes:=12.5", "Record an event with a text and a number."),
            .init("hark events --since today", "Show what happened today."),
            .init("hark events --follow --json | jq .name", "Process events as they come."),
            .init("hark ask", "Answer the waiting survey."),
        ],
        groups: groups,
        members: groups.flatMap(\.members),
        run: { arguments, console in
            if arguments.has(version) { return try console.print("hark \(Version.current)") }
            // A script that names no command has a fault. A person wants to know what there is.
            guard console.outputIsTerminal else {
                throw ToolError.usage("a command is missing", hint: "'hark help' lists them.")
            }
            try console.print(HelpPage(path: ["hark"], command: hark, console).text)
        })

    /// The commands by what they are for. Each is in one group.
    private static let groups: [Command.Group] = [
        .init(
            "Record what happens:",
            [
                .init("record") { .record }, .init("run") { .run }, .init("log") { .log },
                .init("session") { .session }, .init("background") { .background },
            ]),
        .init(
            "Look at what happened:",
            [
                .init("events") { .events }, .init("logs") { .logs }, .init("top") { .top },
                .init("stats") { .stats }, .init("chart") { .chart }, .init("report") { .report },
                .init("sql") { .sql },
            ]),
        .init(
            "Ask people:",
            [
                .init("ask") { .ask }, .init("prompt") { .prompt }, .init("form") { .form },
                .init("forms") { .forms }, .init("surveys") { .surveys }, .init("survey") { .surveyFamily },
                .init("answer") { .answer }, .init("dismiss") { .dismiss }, .init("snooze") { .snooze },
                .init("mute") { .mute }, .init("unmute") { .unmute }, .init("quiet") { .quietHours },
                .init("study") { .study }, .init("explain") { .explain }, .init("preview") { .preview },
                .init("simulate") { .simulate },
                .init("debug") { .debug },
                .init("agent") { .agent }, .init("mcp") { .mcp },
            ]),
        .init(
            "See what they answered:",
            [
                .init("results") { .results }, .init("answers") { .answersCommand }, .init("profile") { .profile },
            ]),
        .init(
            "Count, and act on it:",
            [
                .init("counter") { .counter }, .init("execution") { .execution }, .init("watch") { .watch },
            ]),
        .init(
            "Send to servers and other machines:",
            [
                .init("delivery") { .delivery }, .init("destination") { .destinationFamily },
                .init("fleet") { .fleet }, .init("network") { .network }, .init("flags") { .flags },
            ]),
        .init(
            "Keep, copy and remove:",
            [
                .init("export") { .export }, .init("import") { .import }, .init("clear") { .clear },
                .init("retention") { .retention }, .init("repair") { .repair },
            ]),
        .init(
            "Look after Hark itself:",
            [
                .init("status") { .status }, .init("doctor") { .doctor }, .init("config") { .config },
                .init("call") { .call }, .init("completion") { .completion }, .init("manual") { .manual },
                .init("help") { .helpCommand },
            ]),
    ]

    private static let version = Option("version", "V", "Print the version and exit.")
}
