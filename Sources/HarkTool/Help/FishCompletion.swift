/// The completion script for fish.
enum FishCompletion {
    static var script: String {
        let entries = CommandTable.hark.walk(["hark"])
        return """
            # Completion of hark for fish; made by 'hark completion fish'.

            # Prints the commands that the words before the cursor name: 'hark session start'.
            function __hark_path
                set -l path hark
                for word in (commandline -opc)[2..]
                    switch "$path $word"
                        case \(entries.dropFirst().map { "'\($0.path.joined(separator: " "))'" }.joined(separator: " "))
                            set path "$path $word"
                    end
                end
                echo $path
            end

            # Prints what the daemon has.
            function __hark_names
                hark completion --names -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null
            end

            complete -c hark -f
            \(entries.flatMap(lines).joined(separator: "\n"))

            """
    }

    private static func lines(_ entry: (path: [String], command: Command)) -> [String] {
        let start = "complete -c hark -n 'test (__hark_path) = \"\(entry.path.joined(separator: " "))\"'"
        var lines = entry.command.commands.map { "\(start) -a \($0.name) -d \(quoted($0.summary))" }
        lines += entry.command.allOptions.map { option in
            let letter = option.letter.map { " -s \($0)" } ?? ""
            return "\(start)\(letter) -l \(option.name)\(value(option)) -d \(quoted(option.summary))"
        }
        switch entry.command.completes {
        case .any: break
        case .files: lines.append("\(start) -F")
        case .folders: lines.append("\(start) -a '(__fish_complete_directories)'")
        case .names: lines.append("\(start) -a '(__hark_names)'")
        case .words(let words): lines.append("\(start) -a \(quoted(words.joined(separator: " ")))")
        }
        if entry.command.name == "help" {
            lines.append("\(start) -a \(quoted(CommandTable.hark.commands.map(\.name).joined(separator: " ")))")
        }
        return lines
    }

    private static func value(_ option: Option) -> String {
        guard option.value != nil else { return "" }
        switch option.values {
        case .any: return " -x"
        case .files: return " -r -F"
        case .folders: return " -x -a '(__fish_complete_directories)'"
        case .names: return " -x -a '(__hark_names)'"
        case .words(let words): return " -x -a \(quoted(words.joined(separator: " ")))"
        }
    }

    private static func quoted(_ text: String) -> String {
        let escaped = text.reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : String($1) }
        return "'\(escaped)'"
    }
}
