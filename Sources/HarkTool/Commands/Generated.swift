extension Command {
    static let completion: Command = Command(
        name: "completion",
        summary: "Print the completion script of a shell.",
        usage: ["bash | zsh | fish", "--names -- [WORD …]"],
        about: """
            'make install' and packages put these scripts where the shells find them. For a copy of your own:

              hark completion bash > ~/.local/share/bash-completion/completions/hark
              hark completion fish > ~/.config/fish/completions/hark.fish
              hark completion zsh > ~/.zfunc/_hark     (a folder of your $fpath)

            The scripts ask hark for every word, so they stay right when hark is updated. With --names, hark prints completions \
            for the last WORD of such a command line: commands, options, values, and names from the daemon, such as surveys, \
            counters and sessions. Each has its summary or title behind a tab. At most 500 names come from the daemon, within 50 \
            ms; if it does not answer in time, there are none. A line that begins with a tab says that the shell completes \
            files, folders or a program there.
            """,
        options: [names],
        examples: [.init("hark completion --names -- counter get op", "The counters that begin with 'op'.")],
        operands: 0...Int.max,
        completes: .words(["bash", "zsh", "fish"]),
        run: { arguments, console in
            if arguments.has(names) {
                return try UnfinishedLine(arguments.operands).map(LineCompletion.init)?.print(console) ?? ()
            }
            if arguments.operands.count > 1 {
                throw ToolError.usage("unexpected argument '\(arguments.operands[1])'")
            }
            switch arguments.operands.first {
            case nil: throw ToolError.usage("the shell is missing", hint: "The shells are bash, zsh and fish.")
            case "bash": try console.write(lines: CompletionScript.bash)
            case "zsh": try console.write(lines: CompletionScript.zsh)
            case "fish": try console.write(lines: CompletionScript.fish)
            case let other?:
                throw ToolError.usage("there is no script for '\(other)'", hint: "The shells are bash, zsh and fish.")
            }
        })

    private static let names = Option("names", "Print completions for the last word.")

    static let manual: Command = Command(
        name: "manual",
        summary: "Print the manual page, as mdoc(7).",
        about: "If the page is not installed, read it with 'hark manual | man -l -'.",
        run: { _, console in try console.write(lines: ManualPage.text) })
}
