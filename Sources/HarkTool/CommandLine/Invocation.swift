import HarkWire

/// A parsed command line: the command and its arguments.
struct Invocation {
    let command: Command
    private let arguments: Arguments
    private let path: [String]

    /// Finds the command that the words name, and parses the rest as its options and operands.
    ///
    /// - Parameter path: Receives the words that lead to the command that was found, even if this throws.
    init(_ words: [String], of root: Command, path: inout [String]) throws(ToolError) {
        var command = root
        var rest = words.dropFirst()
        while !command.members.isEmpty {
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
        arguments = try ArgumentParser(command: command).parse([command.name] + rest)
    }

    func run(_ console: Console) throws {
        if arguments.has(.help) { return try console.print(HelpPage(path: path, command: command, console).text) }
        guard let run = command.run else { throw missing }
        try checkOperands()
        try NamedArguments(command: command, arguments: arguments).run(run, console)
    }

    /// Throws if there are too few or too many operands.
    func checkOperands() throws(ToolError) {
        if arguments.operands.count > command.operands.upperBound {
            let extra = arguments.operands[command.operands.upperBound]
            throw ToolError.usage(
                "unexpected argument '\(extra)'", hint: arguments.operands.count == 1 ? nil : Self.quoteHint)
        }
        if arguments.operands.count < command.operands.lowerBound {
            throw ToolError.usage(
                "\(missingOperand ?? "an argument") is missing",
                hint: "Usage: " + HelpPage(path: path, command: command).forms.joined(separator: "\n       "))
        }
    }

    private var missing: ToolError {
        let names = command.members.map(\.name).joined(separator: ", ")
        return .usage("a command is missing", hint: "It is one of: \(names).")
    }

    /// The name of the first missing operand, if every form of the command has the same one in its place.
    private var missingOperand: Substring? {
        let places = command.usage.map { $0.split(separator: " ").dropFirst(arguments.operands.count).first }
        guard let first = places.first, let name = first, places.allSatisfy({ $0 == name }),
            name.allSatisfy({ $0.isUppercase })
        else { return nil }
        return name
    }

    private static let quoteHint = "A text with spaces is one argument only in quotes."

    private static func asksForHelp(_ words: ArraySlice<String>) -> Bool {
        words.first == "--help" || words.first == "-h"
    }

    private static func unknown(_ word: String, in command: Command) -> ToolError {
        let names = command.members.map(\.name)
        if let nearest = Suggestion.nearest(to: word, among: names) {
            return .usage("unknown command '\(word)'", hint: "Did you mean '\(nearest)'?")
        }
        // A longer list belongs on the help page.
        let list = names.count > 12 ? nil : "It is one of: \(names.joined(separator: ", "))."
        return .usage("unknown command '\(word)'", hint: list)
    }
}
