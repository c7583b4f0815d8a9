/// The owner of surveys, forms and a profile: a user id within a uid; all anonymous users of a uid count as one.
package struct UserKey: Hashable, Sendable {
    package let uid: UInt32
    /// nil: anonymous.
    package let userId: String?

    package init(uid: UInt32, userId: String?) {
        self.uid = uid
        self.userId = userId
    }

    package init(_ session: SessionIdentity) {
        self.init(uid: session.scope.uid, userId: session.userId)
    }

    /// A number from 0 to below 100, always the same for this user and survey, and evenly distributed over users.
    package func rolloutPlace(of survey: String) -> Double {
        var hash = StableHash()
        hash.mix(survey)
        hash.mix(self)
        return Double(hash.value % 10_000) / 100
    }
}

extension UserKey {
    package static func == (left: UserKey, right: UserKey) -> Bool {
        left.uid == right.uid && left.userId.hasSameBytes(as: right.userId)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(uid)
        var userId = userId ?? ""
        userId.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
