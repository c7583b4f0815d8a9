/// The text of `--help`.
struct HelpPage {
    /// The words that lead to the command, starting with `hark`.
    let path: [String]
    let command: Command
    static let width = 80

    var text: String {
        var sections = [usage]
        sections.append(command.about.isEmpty ? command.summary : Self.wrapped(command.about))
        if !command.commands.isEmpty {
            sections.append(list("Commands:", command.commands.map { ($0.name, $0.summary) }))
        }
        sections.append(list("Options:", command.allOptions.map { (Self.signature($0), $0.summary) }))
        if !command.examples.isEmpty {
            let lines = command.examples.map { "  \($0.line)\n      \($0.purpose)" }
            sections.append("Examples:\n" + lines.joined(separator: "\n"))
        }
        if !command.commands.isEmpty {
            sections.append("'\(path.joined(separator: " ")) COMMAND --help' tells more about a command.")
        }
        return sections.joined(separator: "\n\n")
    }

    /// The forms of the command, one per line.
    var forms: [String] {
        let name = path.joined(separator: " ")
        if !command.commands.isEmpty {
            return [name + (command.fallback == nil ? " COMMAND …" : " [COMMAND] …")]
        }
        let options = command.options.isEmpty ? [] : ["[option …]"]
        return command.usage.map { ([name] + options + ($0.isEmpty ? [] : [$0])).joined(separator: " ") }
    }

    private var usage: String {
        "Usage: " + forms.joined(separator: "\n       ")
    }

    static func signature(_ option: Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    private func list(_ title: String, _ entries: [(String, String)]) -> String {
        let column = min(entries.map { $0.0.count }.max() ?? 0, 24)
        let lines = entries.map { name, summary in
            let text = Self.wrapped(summary, indent: column + 4)
            if name.count > column { return "  \(name)\n" + String(repeating: " ", count: column + 4) + text }
            return "  " + name + String(repeating: " ", count: column - name.count + 2) + text
        }
        return title + "\n" + lines.joined(separator: "\n")
    }

    /// Wraps lines at words. Indented paragraphs are kept as they are.
    static func wrapped(_ text: String, indent: Int = 0, width: Int = width) -> String {
        let margin = String(repeating: " ", count: indent)
        return text.split(separator: "\n\n").map { paragraph in
            if paragraph.hasPrefix("  ") { return String(paragraph) }
            var lines = [""]
            for word in paragraph.split(whereSeparator: \.isWhitespace) {
                if lines[lines.count - 1].isEmpty {
                    lines[lines.count - 1] = String(word)
                } else if indent + lines[lines.count - 1].count + 1 + word.count <= width {
                    lines[lines.count - 1] += " " + word
                } else {
                    lines.append(String(word))
                }
            }
            return lines.joined(separator: "\n" + margin)
        }.joined(separator: "\n\n" + margin)
    }
}
