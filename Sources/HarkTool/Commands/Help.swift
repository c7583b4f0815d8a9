import HarkWire

extension Command {
    static let helpCommand: Command = Command(
        name: "help",
        summary: "Show what a command does and takes.",
        usage: ["[COMMAND …]"],
        examples: [.init("hark help session start", "The same as 'hark session start --help'.")],
        operands: 0...Int.max,
        completes: .commands,
        run: { arguments, console in
            var command = CommandTable.hark
            var path = ["hark"]
            for word in arguments.operands {
                guard let member = command.member(word) else {
                    let nearest = Suggestion.nearest(to: word, among: command.commands.map(\.name))
                    throw ToolError.usage(
                        "there is no command '\((path.dropFirst() + [word]).joined(separator: " "))'",
                        hint: nearest.map { "Did you mean '\($0)'?" })
                }
                command = member
                path.append(word)
            }
            try console.print(HelpPage(path: path, command: command, console).text)
        })
}
