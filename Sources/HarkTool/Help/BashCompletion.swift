/// The completion script for bash. It needs only bash and hark.
enum BashCompletion {
    static var script: String {
        let entries = CommandTable.hark.walk(["hark"])
        return """
            # Completion of hark for bash; made by 'hark completion bash'.

            _hark() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path=hark i
                COMPREPLY=()
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$path ${COMP_WORDS[i]}" in
            \(indent(entries.dropFirst().map { "'\($0.path.joined(separator: " "))'" }.joined(separator: " | \\\n"), 12)))
                        path+=" ${COMP_WORDS[i]}" ;;
                    esac
                done

                case "$path $before" in
            \(indent(entries.flatMap(valueCases).joined(separator: "\n"), 8))
                esac

                if [[ $word == -* ]]; then
                    case $path in
            \(indent(entries.map(optionCase).joined(separator: "\n"), 12))
                    esac
                    return
                fi
                case $path in
            \(indent(entries.compactMap(operandCase).joined(separator: "\n"), 8))
                esac
            }

            # Offers what the daemon has. Bash takes a word with colons for several; what stands before the last colon stays.
            _hark_names() {
                local line=${COMP_LINE:0:COMP_POINT} typed=$word at=$COMP_CWORD name i
                while ((at > 1)) && [[ ${COMP_WORDS[at]} == :* || ${COMP_WORDS[at-1]} == *: ]] &&
                    [[ $line == *"${COMP_WORDS[at-1]}$typed" ]]; do
                    typed=${COMP_WORDS[--at]}$typed
                done
                local kept=${typed%"${typed##*:}"}
                mapfile -t COMPREPLY < <(hark completion --names -- "${COMP_WORDS[@]:1:at-1}" "${typed//\\\\/}" 2>/dev/null)
                for i in "${!COMPREPLY[@]}"; do
                    printf -v name %q "${COMPREPLY[i]%%$'\\t'*}"
                    COMPREPLY[i]=${name#"$kept"}
                done
            }

            complete -F _hark hark

            """
    }

    private static func valueCases(_ entry: (path: [String], command: Command)) -> [String] {
        entry.command.options.filter { $0.value != nil }.map { option in
            let path = entry.path.joined(separator: " ")
            let names = ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
            let pattern = names.map { "'\(path) \($0)'" }.joined(separator: " | ")
            return "\(pattern)) \(offer(option.values)); return ;;"
        }
    }

    private static func optionCase(_ entry: (path: [String], command: Command)) -> String {
        let names = entry.command.allOptions.map { "--\($0.name)" }.joined(separator: " ")
        return "'\(entry.path.joined(separator: " "))') \(offer(.words([names]))) ;;"
    }

    private static func operandCase(_ entry: (path: [String], command: Command)) -> String? {
        let path = entry.path.joined(separator: " ")
        let words = entry.command.commands.map(\.name)
        if !words.isEmpty { return "'\(path)') \(offer(.words(words))) ;;" }
        if path == "hark help" { return "'\(path)') \(offer(.words(CommandTable.hark.commands.map(\.name)))) ;;" }
        return entry.command.completes == .any ? nil : "'\(path)') \(offer(entry.command.completes)) ;;"
    }

    private static func offer(_ values: Option.Values) -> String {
        switch values {
        case .any: "COMPREPLY=()"
        case .files: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); compopt -o filenames"
        case .folders: "mapfile -t COMPREPLY < <(compgen -d -- \"$word\"); compopt -o filenames"
        case .names: "_hark_names"
        case .words(let words):
            "mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))' -- \"$word\")"
        }
    }

    private static func indent(_ text: String, _ count: Int) -> String {
        let margin = String(repeating: " ", count: count)
        return text.split(separator: "\n").map { margin + $0 }.joined(separator: "\n")
    }
}
