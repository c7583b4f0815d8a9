import HarkClient
import HarkWire

/// The user or session whose records a command is about.
enum RecordScope: Equatable {
    case all
    case user(String)
    case anonymous
    case session(String)

    /// Reads `--user`, `--anonymous` and `--session`. For `--session current`, asks the daemon for the app's open
    /// session.
    init(_ arguments: Arguments, _ connection: inout Connection) throws {
        try arguments.atMostOne(of: .user, .anonymous, .session)
        if let user = arguments[.user] {
            self = .user(user)
        } else if arguments.has(.anonymous) {
            self = .anonymous
        } else if let id = arguments[.session] {
            self = .session(id == "current" ? try Self.currentSession(arguments, &connection) : id)
        } else {
            self = .all
        }
    }

    static func currentSession(_ arguments: Arguments, _ connection: inout Connection) throws -> String {
        guard let session = try connection.call(SessionCurrent(app: arguments[.app])).value.session else {
            throw ToolError(
                .noInput, "no session is open for app '\(arguments[.app] ?? "default")'",
                hint: "'hark session start' opens one, 'hark session list' shows the earlier ones.")
        }
        return session.id.description
    }

    /// The user that is meant, if one is.
    var user: UserChoice {
        switch self {
        case .all, .session: .unsaid
        case .user(let user): .named(user)
        case .anonymous: .anonymous
        }
    }

    /// The session that is meant, if one is.
    var session: String? { if case .session(let id) = self { id } else { nil } }
}

extension JSONWriter {
    /// Writes a string member.
    mutating func member(_ name: StaticString, _ value: String) {
        key(name)
        string(value)
    }

    /// Writes an integer member.
    mutating func member(_ name: StaticString, _ value: Int64) {
        key(name)
        int(value)
    }
}
