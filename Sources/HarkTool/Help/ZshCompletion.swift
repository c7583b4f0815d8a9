/// The completion script for zsh, on its `_arguments` and `_describe`.
enum ZshCompletion {
    static var script: String {
        let functions = CommandTable.hark.walk(["hark"]).map { entry in
            entry.command.commands.isEmpty ? leaf(entry.path, entry.command) : family(entry.path, entry.command)
        }
        return """
            #compdef hark
            # Completion of hark for zsh; made by 'hark completion zsh'.

            # Offers what the daemon has. The arguments are the words that lead to the command.
            _hark_names() {
                local line
                local -a names shown
                for line in "${(@f)$(hark completion --names -- "$@" "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
                    [[ -n $line ]] || continue
                    names+=("${line%%$'\\t'*}")
                    shown+=("${line/$'\\t'/  }")
                done
                (( $#names )) && compadd -l -d shown -a names
            }

            \(functions.joined(separator: "\n\n"))

            _hark "$@"

            """
    }

    private static func leaf(_ path: [String], _ command: Command) -> String {
        let lines = command.allOptions.map { option($0, path) } + operands(command, path)
        return """
            \(function(path))() {
                _arguments -s -S \\
            \(lines.map { "        " + $0 }.joined(separator: " \\\n"))
            }
            """
    }

    private static func family(_ path: [String], _ command: Command) -> String {
        let members = command.commands.map { "'\($0.name):\(quoted($0.summary))'" }
        let cases = command.commands.map { "        \($0.name)) \(function(path + [$0.name])) ;;" }
        return """
            \(function(path))() {
                local line state
                local -a commands=(
            \(members.map { "        " + $0 }.joined(separator: "\n"))
                )
                _arguments -C \\
            \(command.allOptions.map { "        " + option($0, path) }.joined(separator: " \\\n")) \\
                    '1: :->command' \\
                    '*:: :->rest'
                case $state in
                command) _describe command commands ;;
                rest)
                    case $line[1] in
            \(cases.map { "        " + $0 }.joined(separator: "\n"))
                    esac ;;
                esac
            }
            """
    }

    private static func function(_ path: [String]) -> String { "_" + path.joined(separator: "_") }

    private static func option(_ option: Option, _ path: [String]) -> String {
        let names = option.letter.map { "'(-\($0) --\(option.name))'{-\($0),--\(option.name)}" } ?? "--\(option.name)"
        let value = option.value.map { ":\($0):\(action(option.values, path))" } ?? ""
        return "\(names)'[\(quoted(option.summary))]\(value)'"
    }

    private static func operands(_ command: Command, _ path: [String]) -> [String] {
        if command.name == "help" {
            return ["'*::command:(\(CommandTable.hark.commands.map(\.name).joined(separator: " ")))'"]
        }
        let action = action(command.completes, path)
        switch (command.operands.upperBound, command.completes) {
        case (0, _): return []
        case (1, _), (_, .names): return ["'1:argument:\(action)'"]
        default: return ["'*:argument:\(action)'"]
        }
    }

    private static func action(_ values: Option.Values, _ path: [String]) -> String {
        switch values {
        case .any: " "
        case .files: "_files"
        case .folders: "_files -/"
        // The leading space makes zsh call the function without adding arguments.
        case .names: " _hark_names \(path.dropFirst().joined(separator: " "))"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func quoted(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            switch letter {
            case "'": result += "'\\''"
            case "[", "]", ":": result += "\\\(letter)"
            default: result.append(letter)
            }
        }
    }
}
