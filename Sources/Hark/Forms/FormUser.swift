internal import HarkWire

/// Whose forms and profile are meant.
public enum FormUser: Sendable, Hashable {
    /// The user of the current session of this app; nobody in particular without one.
    case current
    /// This user; nil for nobody in particular.
    case user(String?)

    func add(to params: RequestParams) -> RequestParams {
        switch self {
        case .current: params
        case .user(let id): params.with(.formUser, id.map { Value.string($0) } ?? Value.null)
        }
    }
}
