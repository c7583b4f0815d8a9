extension Command {
    static let completion: Command = Command(
        name: "completion",
        summary: "Print the completion script of a shell.",
        usage: ["bash | zsh | fish"],
        about: """
            'make install' and packages put these scripts where the shells find them. For a copy of your own:

              hark completion bash > ~/.local/share/bash-completion/completions/hark
              hark completion fish > ~/.config/fish/completions/hark.fish
              hark completion zsh > ~/.zfunc/_hark     (a folder of your $fpath)
            """,
        operands: 1...1,
        completes: .words(["bash", "zsh", "fish"]),
        run: { arguments, console in
            switch arguments.operands[0] {
            case "bash": try console.write(lines: BashCompletion.script)
            case "zsh": try console.write(lines: ZshCompletion.script)
            case "fish": try console.write(lines: FishCompletion.script)
            case let other:
                throw ToolError.usage("there is no script for '\(other)'", hint: "The shells are bash, zsh and fish.")
            }
        })

    static let manual: Command = Command(
        name: "manual",
        summary: "Print the manual page, as mdoc(7).",
        about: "'hark manual | man -l -' reads it where no page is installed.",
        run: { _, console in try console.write(lines: ManualPage.text) })
}
