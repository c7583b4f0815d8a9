internal import HarkWire

/// The user whose forms and profile are meant.
public enum FormUser: Sendable, Hashable {
    /// The user of this app's current session; anonymous without a session.
    case current
    /// This user; nil for anonymous answers.
    case user(String?)

    func add(to params: RequestParams) -> RequestParams {
        switch self {
        case .current: params
        case .user(let id): params.with(.formUser, id.map { Value.string($0) } ?? Value.null)
        }
    }
}
