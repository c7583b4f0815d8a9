import HarkAsking
import HarkClient
import HarkWire

/// Resolves a name on a command line.
struct NameResolution {
    let kind: NameKind
    var app: String?
    /// Whether the command changes or removes the object. Then a beginning needs several letters, and the beginning of
    /// a name counts only if a person typed it: a script that means a deleted object must not hit its neighbour.
    var isStrict = false

    private static let fewestLetters = 4
    private static let mostTold = 8

    /// Returns the id of the named object.
    ///
    /// - Parameter otherwise: The error to throw if there is no such object; nil for a general one.
    func id(of text: String, _ console: Console, otherwise: (any Error)? = nil) throws -> String {
        var connection = try Connection()
        var things: [NamedThing] = []
        let areAll = try NameSource(kind: kind, app: app).forEach(&connection) { things.append($0) }
        let takesAll = !isStrict || console.isTyped
        switch NameMatch(text, among: things, beginnings: takesAll ? .ofAll : kind.isUUID ? .ofIDs : .none) {
        case .whole(let thing):
            // The id exists, so the original error has another cause.
            if thing.id == text, let otherwise { throw otherwise }
            tell(thing, console)
            return thing.id
        case .beginning(let thing):
            guard areAll || !isStrict else {
                throw ToolError.usage(
                    "there are too many names to be sure that only one begins with \(VisibleText.value(text))",
                    hint: "Give the whole id: \(VisibleText.make(thing.id))")
            }
            guard !isStrict || text.count >= Self.fewestLetters else {
                throw ToolError.usage(
                    "\(VisibleText.value(text)) is too short for the beginning of a name",
                    hint: "Give \(Self.fewestLetters) letters or more. Did you mean \(VisibleText.value(thing.id))?")
            }
            tell(thing, console)
            return thing.id
        case .several(let things): throw several(text, things)
        case .none(let nearest):
            let isCut = !takesAll && nearest.contains { $0.lowercased().hasPrefix(text.lowercased()) }
            throw unknown(text, nearest, isCut: isCut, otherwise)
        }
    }

    /// Returns the id of the named object; the text itself if nothing matches, which the caller handles.
    func idIfKnown(of text: String, _ console: Console) throws(ToolError) -> String {
        do {
            return try id(of: text, console)
        } catch let error as ToolError where error.exit == .usage {
            throw error
        } catch {
            return text
        }
    }

    /// Prints the object that the text was resolved to.
    private func tell(_ thing: NamedThing, _ console: Console) {
        if isStrict { console.say("hark: \(kind.word) \(Self.line(thing))") }
    }

    private func several(_ text: String, _ things: [NamedThing]) -> ToolError {
        let more = things.count - Self.mostTold
        let lines = things.prefix(Self.mostTold).map { "  " + Self.line($0) }
        let rest = more > 0 ? ["  … and \(Plural.grouped(Int64(more))) more"] : []
        return .usage(
            (["\(VisibleText.value(text)) can mean each of these:"] + lines + rest).joined(separator: "\n"),
            hint: "Write more of it, or all of the first word of a line.")
    }

    /// - Parameter isCut: Whether the text is the beginning of a name, which does not count here.
    private func unknown(
        _ text: String, _ nearest: [String], isCut: Bool, _ otherwise: (any Error)?
    ) -> any Error {
        if let quiet = otherwise as? QuietExit { return quiet }
        let names = nearest.map { VisibleText.value($0) }
        let rule = isCut ? " In a script, names must be whole where something is changed." : ""
        let question = names.isEmpty ? nil : "Did you mean \(Self.joined(names))?\(rule)"
        let error = otherwise as? ToolError
        let hint = question ?? error?.hint ?? "'\(kind.list)' shows those there are."
        if let error { return ToolError(error.exit, error.message, hint: hint) }
        return ToolError(.noInput, "there is no \(kind.word) \(VisibleText.value(text))", hint: hint)
    }

    private static func line(_ thing: NamedThing) -> String {
        let titles = thing.titles.filter { $0 != thing.id }.map {
            StyledLine(VisibleText.make($0)).clipped(to: 40).text
        }
        return ([VisibleText.value(thing.id)] + titles).joined(separator: "  ")
    }

    private static func joined(_ names: [String]) -> String {
        names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
