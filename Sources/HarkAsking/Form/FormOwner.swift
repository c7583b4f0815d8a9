package import HarkWire

/// The owner of a form or profile, as params of a call.
package struct FormOwner: Sendable, Equatable {
    package enum User: Sendable, Equatable {
        /// The user of the open session.
        case current
        case named(String)
        /// Everybody without a name.
        case anonymous
    }

    private let user: User
    private let app: String?

    /// - Parameter app: The app whose session is meant; nil for the default app.
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
