import HarkAsking
import HarkClient
import HarkWire

/// Calls methods about a user's forms and profile.
enum FormCall {
    static func call<Request: OwnerMethod>(
        _ request: Request, _ arguments: Arguments, _ connection: inout Connection
    ) throws -> Reply<Request.Result> {
        var request = request
        request.owner = try owner(arguments)
        return try connection.call(request)
    }

    /// Returns the user whose forms are meant.
    static func owner(_ arguments: Arguments) throws(ToolError) -> FormOwner {
        try arguments.atMostOne(of: .formUser, .formAnonymous)
        let user = arguments[.formUser].map(UserChoice.named)
        return FormOwner(user ?? (arguments.has(.formAnonymous) ? .anonymous : .unsaid), app: arguments[.formApp])
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
    static let formUser = Option("user", "u", value: "USER", "The user; without it, the user of the open session.")
    static let formAnonymous = Option("anonymous", "Everybody without a user id.")
    static let formApp = Option("app", "a", value: "APP", "The app of the session. Default: default.")
}
