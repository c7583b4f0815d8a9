internal import HarkWire

/// The user whose forms and profile are meant.
public enum FormUser: Sendable, Hashable {
    /// The user of this app's current session; anonymous without a session.
    case current
    /// This user; nil for anonymous answers.
    case user(String?)

    func owner(in app: String) -> FormOwner {
        switch self {
        case .current: FormOwner(.unsaid, app: app)
        case .user(let id): FormOwner(UserChoice(id), app: app)
        }
    }
}
