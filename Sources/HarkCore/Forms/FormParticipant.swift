/// The user who fills in a form or reads a profile, and the client.
package struct FormParticipant: Sendable, Equatable {
    package let user: UserKey
    /// The scope for records about the form, if its current session is the user's.
    package let scope: Scope
    package let source: Source

    package init(user: UserKey, scope: Scope, source: Source) {
        self.user = user
        self.scope = scope
        self.source = source
    }
}
