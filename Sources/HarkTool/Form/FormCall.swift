import HarkAsking
import HarkClient
import HarkWire

/// Calls methods about a user's forms and profile.
enum FormCall {
    static func call(
        _ method: MethodShape, _ arguments: Arguments, _ connection: inout Connection,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) throws -> JSONText {
        let owner = try owner(arguments)
        return try connection.call(method) { params in
            owner.write(to: &params)
            more(&params)
        }
    }

    static func call<Result: WireObject>(
        _ method: MethodShape, _ arguments: Arguments, _ connection: inout Connection, as result: Result.Type,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) throws -> Reply<Result> {
        let owner = try owner(arguments)
        return try connection.call(method, as: result) { params in
            owner.write(to: &params)
            more(&params)
        }
    }

    /// Returns the user whose forms are meant.
    static func owner(_ arguments: Arguments) throws(ToolError) -> FormOwner {
        try arguments.atMostOne(of: .formUser, .formAnonymous)
        let user = arguments[.formUser].map(FormOwner.User.named)
        return FormOwner(user ?? (arguments.has(.formAnonymous) ? .anonymous : .current), app: arguments[.formApp])
    }

    static func isConfirmed(
        _ arguments: Arguments, _ yes: Option, _ question: String, _ console: Console
    ) throws(ToolError) -> Bool {
        if arguments.has(yes) { return true }
        guard console.inputIsTerminal else {
            throw ToolError.usage("nobody can be asked whether to forget it", hint: "Give --yes.")
        }
        return console.confirm(question)
    }
}

/// Options of commands about forms and profiles.
extension Option {
    static let formUser = Option("user", "u", value: "USER", "Whose it is; without it, the open session's user.")
    static let formAnonymous = Option("anonymous", "That of everybody without a name.")
    static let formApp = Option("app", "a", value: "APP", "The app whose session is meant. Default: default.")
}
