/// Who fills in a form, or asks for a profile, and from where.
package struct FormParticipant: Sendable, Equatable {
    package let user: UserKey
    /// Where records of it lie, if its current session is the user's.
    package let scope: Scope
    package let source: Source

    package init(user: UserKey, scope: Scope, source: Source) {
        self.user = user
        self.scope = scope
        self.source = source
    }
}
