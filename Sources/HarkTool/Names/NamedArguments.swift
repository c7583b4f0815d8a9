import HarkClient
import HarkWire

/// The place of a name on a command line.
enum NamedPlace: Sendable {
    /// The first operand.
    case operand
    case option(Option)
}

/// A command found nothing by the given name, and may be run again with another.
struct NothingOfThatName: Error {
    /// The error to report if the name resolves to nothing.
    let otherwise: any Error
}

/// Runs a command with names replaced by ids.
///
/// UUIDs are looked up before the command runs, unless they are complete. Other names are looked up only after the
/// daemon did not find them: a complete name costs no extra request and always means itself.
struct NamedArguments {
    let command: Command
    let arguments: Arguments

    func run(_ body: (Arguments, Console) throws -> Void, _ console: Console) throws {
        var arguments = arguments
        let places = places
        for (place, kind, text) in places where kind.isUUID && isBeginning(text, kind) {
            arguments.replace(place, with: try resolution(kind).id(of: text, console))
        }
        guard let (place, kind, text) = places.first(where: { !$0.kind.isUUID }) else {
            return try body(arguments, console)
        }
        let otherwise: any Error
        do {
            return try body(arguments, console)
        } catch let error as ClientError where error.reason == .notFound {
            otherwise = ToolError(error, of: command)
        } catch let error as NothingOfThatName {
            otherwise = error.otherwise
        }
        arguments.replace(place, with: try resolution(kind).id(of: text, console, otherwise: otherwise))
        do {
            try body(arguments, console)
        } catch let error as NothingOfThatName {
            throw error.otherwise
        }
    }

    /// The names given as operand and as options.
    private var places: [(place: NamedPlace, kind: NameKind, text: String)] {
        var places: [(place: NamedPlace, kind: NameKind, text: String)] = []
        if case .names(let kind) = command.completes, let text = arguments.operands.first {
            places.append((.operand, kind, text))
        }
        for option in command.options {
            guard case .names(let kind) = option.values, let text = arguments[option] else { continue }
            places.append((.option(option), kind, text))
        }
        return places.filter { $0.kind.isLookedUp }
    }

    private func resolution(_ kind: NameKind) -> NameResolution {
        NameResolution(kind: kind, app: arguments[.app], isStrict: command.isStrict(arguments))
    }

    /// Whether a text is an incomplete id and must be looked up.
    private func isBeginning(_ text: String, _ kind: NameKind) -> Bool {
        guard Identifier(text) == nil, !kind.words.contains(text), !text.isEmpty else { return false }
        // Sessions and questions have no titles.
        return kind == .presentation || text.allSatisfy { $0.isHexDigit || $0 == "-" }
    }
}
