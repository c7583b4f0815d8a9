package import HarkWire

/// Whose form or profile it is, in the params of a call about it.
package struct FormOwner: Sendable, Equatable {
    package enum User: Sendable, Equatable {
        /// The open session's.
        case current
        case named(String)
        /// Everybody without a name.
        case anonymous
    }

    private let user: User
    private let app: String?

    /// - Parameter app: whose session is meant; nil is the default one.
    package init(_ user: User = .current, app: String? = nil) {
        self.user = user
        self.app = app
    }

    package func write(to params: inout JSONWriter) {
        switch user {
        case .current: break
        case .named(let name): params.member(.formUser, name)
        case .anonymous: params.member(.formUser, value: .null)
        }
        params.member(.formApp, app)
    }
}
