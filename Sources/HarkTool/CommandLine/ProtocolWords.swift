import HarkClient
import HarkWire

/// Says in words of the command line what the daemon says in those of its protocol.
enum ProtocolWords {
    /// Methods that the daemon's advice names, and the commands that call them.
    static let commands: [(method: String, command: String)] = [
        (DaemonReload.name, "config reload"), (SurveyList.name, "surveys --rules"),
    ]

    /// Parameters that are called otherwise on a command line.
    private static let otherNames = [
        "userId": ["user"], "surveyId": ["survey"], "presentationId": ["presentation"], "sessionId": ["session", "id"],
        "timeoutSeconds": ["timeout"], "formId": ["form"], "questionId": ["question"],
        "metadata": ["key"],
        "properties": ["key"], "names": ["name"],
    ]

    /// - Parameter command: The command of the request; nil if the request came from a document.
    static func message(_ error: ClientError, of command: Command?) -> String {
        if command?.name == Command.call.name { return error.message + (error.path.map { " (\($0))" } ?? "") }
        let parameter = error.path.map { self.parameter($0) } ?? ""
        let label = command.flatMap { self.label(of: parameter, in: $0) }
        let message = label.map { error.message.replacing("'\(parameter)'", with: $0) } ?? error.message
        let words = message.split(separator: " ", omittingEmptySubsequences: false).map { word in
            translated(String(word), of: command)
        }.joined(separator: " ")
        guard let path = error.path else { return words }
        if let label {
            return words.contains(label) ? words : words + " (\(label)\(member(path)))"
        }
        let inner = path.hasPrefix("$.params.") ? path.dropFirst("$.params.".count) : path.dropFirst(2)
        guard command != nil else { return words + " ($.\(inner))" }
        // A document was given as a file or as an argument, and its inside is spoken of.
        let rest = inner.dropFirst(parameter.count)
        return rest.isEmpty ? words : words + " ($\(rest))"
    }

    /// A word of the daemon's as it is said here; most stay as they are.
    private static func translated(_ word: String, of command: Command?) -> String {
        let inner = word.drop { !$0.isLetter }
        let core = String(inner.prefix { $0.isLetter || $0 == "." }.reversed().drop { $0 == "." }.reversed())
        let named: String?
        if core == "userId" {
            named = command.flatMap { label(of: core, in: $0) }
        } else {
            named = commandCalling(core).map { "'hark \($0)'" }
        }
        guard let named, let range = word.firstRange(of: core) else { return word }
        return word[..<range.lowerBound] + named + word[range.upperBound...]
    }

    /// The command that calls a method.
    static func commandCalling(_ method: String) -> String? {
        guard method.contains(".") else { return nil }
        return commands.first { $0.method == method }?.command ?? CommandTable.hark.path(calling: method)
    }

    /// The parameter a path begins with: `$.params.properties.cups` is about `properties`.
    private static func parameter(_ path: String) -> String {
        let rest =
            path.hasPrefix("$.params.") ? path.dropFirst("$.params.".count) : path.drop { $0 == "$" || $0 == "." }
        return String(rest.prefix { $0 != "." && $0 != "[" })
    }

    /// The rest of a path to a property or to metadata, as it was typed.
    private static func member(_ path: String) -> String {
        for parameter in ["properties", "metadata"] where path.hasPrefix("$.params.\(parameter).") {
            return " \(path.dropFirst("$.params.\(parameter).".count))"
        }
        return ""
    }

    /// How a command calls a parameter: its option, or the argument in that place; nil if it has none for it.
    static func label(of parameter: String, in command: Command) -> String? {
        if let label = command.label { return label(parameter) }
        for name in otherNames[parameter] ?? [parameter] {
            if let operand = operand(called: name, in: command.usage) { return operand }
            if command.options.contains(where: { $0.value != nil && $0.name == name }) { return "--\(name)" }
        }
        return nil
    }

    /// The operand of a usage line that has a parameter's name.
    static func operand(of parameter: String, in usage: [String]) -> String? {
        (otherNames[parameter] ?? [parameter]).lazy.compactMap { operand(called: $0, in: usage) }.first
    }

    private static func operand(called name: String, in usage: [String]) -> String? {
        let name = name.uppercased()
        return usage.contains { $0.split { !$0.isLetter }.contains { $0 == name } } ? name : nil
    }
}
