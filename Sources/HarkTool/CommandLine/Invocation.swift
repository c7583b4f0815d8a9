/// A command line that was understood: the command and its arguments.
struct Invocation {
    private let command: Command
    private let arguments: Arguments
    private let path: [String]

    /// Finds the command that the words name and parses the rest as its options and operands.
    ///
    /// - Parameter path: the words that lead to the command, as far as it was found, also when this throws.
    init(_ words: [String], of root: Command, path: inout [String]) throws(ToolError) {
        var command = root
        var rest = words.dropFirst()
        while !command.commands.isEmpty {
            if let word = rest.first, !word.hasPrefix("-") {
                guard let member = command.member(word) else { throw Self.unknown(word, in: command) }
                rest = rest.dropFirst()
                path.append(word)
                command = member
            } else if let fallback = command.fallback.flatMap(command.member), !Self.asksForHelp(rest) {
                path.append(fallback.name)
                command = fallback
            } else {
                break
            }
        }
        self.command = command
        self.path = path
        arguments = try ArgumentParser(command: command).parse([path.joined(separator: " ")] + rest)
    }

    func run(_ console: Console) throws {
        if arguments.has(.help) { return try console.print(HelpPage(path: path, command: command).text) }
        guard let run = command.run else { throw missing }
        if arguments.operands.count > command.operands.upperBound {
            let extra = arguments.operands[command.operands.upperBound]
            throw ToolError.usage(
                "unexpected argument '\(extra)'", hint: arguments.operands.count == 1 ? nil : Self.quoteHint(extra))
        }
        if arguments.operands.count < command.operands.lowerBound {
            throw ToolError.usage(
                "an argument is missing",
                hint: "Usage: " + HelpPage(path: path, command: command).forms.joined(separator: "\n       "))
        }
        try run(arguments, console)
    }

    private var missing: ToolError {
        let names = command.commands.map(\.name).joined(separator: ", ")
        return .usage("a command is missing", hint: "It is one of: \(names).")
    }

    private static func quoteHint(_ extra: String) -> String {
        "A text with spaces is one argument only in quotes."
    }

    private static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
        words.first == "--help" || words.first == "-h"
    }

    private static func unknown(_ word: String, in command: Command) -> ToolError {
        let nearest = Suggestion.nearest(to: word, among: command.commands.map(\.name))
        return .usage("unknown command '\(word)'", hint: nearest.map { "Did you mean '\($0)'?" })
    }
}
