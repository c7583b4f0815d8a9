import HarkWire

/// The text of `--help`.
struct HelpPage {
    /// The words that lead to the command, starting with `hark`.
    let path: [String]
    let command: Command
    private let style: TextStyle
    private let columns: Int

    /// The width of a page, where the terminal is not narrower.
    private static let widest = 80
    /// The least room for summaries next to names; with less they are below them.
    private static let leastBeside = 30

    init(path: [String], command: Command, _ style: TextStyle = TextStyle(coloured: false), columns: Int? = nil) {
        self.path = path
        self.command = command
        self.style = style
        self.columns = min(max(columns ?? Self.widest, 20), Self.widest)
    }

    /// A page with the heads and the width of the terminal.
    init(path: [String], command: Command, _ console: Console) {
        self.init(path: path, command: command, console.style, columns: console.columns)
    }

    var text: String {
        var sections = [usage, paragraphs(command.about.isEmpty ? command.summary : command.about)]
        if !command.groups.isEmpty {
            let width = command.members.map(\.name.count).max() ?? 0
            sections += command.groups.map { list($0.title, entries($0.commands), width) }
        } else if !command.members.isEmpty {
            sections.append(list("Commands:", entries(command.commands)))
        }
        sections.append(list("Options:", command.allOptions.map { (Self.signature($0), $0.summary) }))
        if !command.examples.isEmpty {
            // The line of an example is not wrapped, so that it can be copied.
            let lines = command.examples.flatMap { ["  " + $0.line] + wrapped($0.purpose, "      ") }
            sections.append(([style.bold("Examples:")] + lines).joined(separator: "\n"))
        }
        if !command.members.isEmpty {
            sections.append(paragraphs("'\(path.joined(separator: " ")) COMMAND --help' tells more about a command."))
        }
        if !command.closing.isEmpty { sections.append(paragraphs(command.closing)) }
        return sections.joined(separator: "\n\n")
    }

    /// The forms of the command, one per line.
    var forms: [String] {
        let name = path.joined(separator: " ")
        if !command.members.isEmpty {
            return [name + (command.fallback == nil ? " COMMAND …" : " [COMMAND] …")]
        }
        let options = command.options.isEmpty ? [] : ["[option …]"]
        return command.usage.map { ([name] + options + ($0.isEmpty ? [] : [$0])).joined(separator: " ") }
    }

    private var usage: String {
        let margin = String(repeating: " ", count: 7)
        return forms.enumerated().flatMap { place, form in
            WordWrap.hanging(place == 0 ? style.bold("Usage:") + " " : margin, form, indent: 9, columns: columns)
        }.joined(separator: "\n")
    }

    static func signature(_ option: Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        return letter + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    private func entries(_ commands: [Command]) -> [(String, String)] { commands.map { ($0.name, $0.summary) } }

    /// - Parameter width: The width of the names; nil for that of the widest.
    private func list(_ title: String, _ entries: [(String, String)], _ width: Int? = nil) -> String {
        let column = min(width ?? entries.map { $0.0.count }.max() ?? 0, 24)
        let isBeside = columns - column - 4 >= Self.leastBeside
        let margin = String(repeating: " ", count: isBeside ? column + 4 : 6)
        let lines = entries.flatMap { name, summary in
            if !isBeside || name.count > column { return ["  " + name] + wrapped(summary, margin) }
            return wrapped(summary, margin, head: "  " + TextWidth.padded(name, column) + "  ")
        }
        return ([style.bold(title)] + lines).joined(separator: "\n")
    }

    private func wrapped(_ text: String, _ margin: String, head: String? = nil) -> [String] {
        WordWrap.lines(text, width: columns - margin.count).enumerated().map {
            ($0 == 0 ? head ?? margin : margin) + $1
        }
    }

    /// Wraps paragraphs. Each line of an indented paragraph is wrapped by itself.
    private func paragraphs(_ text: String) -> String {
        text.split(separator: "\n\n").map { paragraph in
            guard paragraph.hasPrefix("  ") else {
                return WordWrap.lines(
                    paragraph.split(whereSeparator: \.isWhitespace).joined(separator: " "), width: columns
                ).joined(separator: "\n")
            }
            return paragraph.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
                let margin = line.prefix { $0 == " " }
                return WordWrap.hanging(String(margin), String(line.dropFirst(margin.count)), columns: columns)
            }.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}
