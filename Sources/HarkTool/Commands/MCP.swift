import HarkClient
import HarkWire

extension Command {
    static let mcp: Command = Command(
        name: "mcp",
        summary: "Let agents ask people and look things up (MCP).",
        usage: ["", "--config HOST", "--log"],
        about: """
            A server of the Model Context Protocol on standard input and output, for the program that an agent runs in: Claude \
            Code, Cursor, VS Code and others start it themselves. --config prints the configuration for such a program.

            Agents can ask a person (ask_person, answer_of), record events, query in SQL, draw charts, look at watches and at \
            why a survey is shown. The daemon keeps their questions when the call or the agent ends and when the machine \
            restarts, and shows them like other questions. At most \(AgentWords.openQuestions) of their questions may wait at a time; \
            'hark mute --agents' refuses all of them. Agents may see and do what you may see and do, and nothing more.

            Everything they do is recorded as events of the app '\(AgentWords.app)', with the name of the program that asked; \
            --log shows it. See docs/guides/agents.md.
            """,
        options: [
            host, shown, .since, .until, limit, follow, Option("json", "j", "With --log: print each event as JSON."),
        ],
        examples: [
            .init("hark mcp --config claude", "The configuration for Claude Code."),
            .init("hark mcp --log --since today", "What agents did today."),
            .init("hark mute --agents", "Mute the questions of agents."),
        ],
        run: { arguments, console in
            try arguments.atMostOne(of: host, shown)
            if arguments.has(shown) { return try showLog(arguments, console) }
            for option in [Option.since, .until, limit, follow, .json] where arguments.has(option) {
                throw ToolError.usage("'--\(option.name)' goes with '--log'")
            }
            if let name = arguments[host] { return try printConfiguration(name, console) }
            guard !console.inputIsTerminal else {
                throw ToolError.usage(
                    "hark mcp is for programs, and not for a terminal",
                    hint:
                        "'hark mcp --config claude' prints the configuration for one; 'hark mcp --log' shows what agents did."
                )
            }
            MCPServer().run()
        })

    private static let host = Option(
        "config", "c", value: "HOST", values: .words(AgentHost.allCases.map(\.rawValue)),
        "Print the configuration for this program: \(AgentHost.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    private static let shown = Option("log", "l", "Show what agents asked and did, and from which program.")
    private static let limit = Option("limit", value: "N", "With --log: only the newest N.")
    private static let follow = Option("follow", "f", "With --log: go on and show new ones as they come.")

    private static func printConfiguration(_ name: String, _ console: Console) throws {
        guard let chosen = AgentHost(rawValue: name) else {
            let names = AgentHost.allCases.map(\.rawValue)
            throw ToolError.usage(
                "hark does not know the program '\(name)'\(Suggestion.question(for: name, among: names))",
                hint: "It is one of: \(names.joined(separator: ", ")).")
        }
        let program = OwnProgram.path
        let socket = SocketAddress.environment("HARK_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        try console.print(chosen.entry(program: program, socket: socket))
        try console.flush()
        console.say("hark: \(chosen.advice(program: program))")
    }

    /// Shows the log of agents with `hark events`.
    private static func showLog(_ arguments: Arguments, _ console: Console) throws {
        var words = ["events", "--app=\(AgentWords.app)", "--name=agent.*"]
        for option in [Option.since, .until, limit] {
            if let value = arguments[option] { words.append("--\(option.name)=\(value)") }
        }
        for option in [follow, .json] where arguments.has(option) { words.append("--\(option.name)") }
        var path = ["hark"]
        try Invocation(["hark"] + words, of: CommandTable.hark, path: &path).run(console)
    }
}
