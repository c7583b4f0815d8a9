/// Whom gating counts for: a user id within a uid; everybody anonymous of a uid counts as one.
package struct SurveyUser: Hashable, Sendable {
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

    /// A number from 0 up to, not including, 100 that is always the same for this user and this survey, and evenly
    /// spread over users.
    package func rolloutPlace(of survey: String) -> Double {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        for byte in survey.utf8 { mix(byte) }
        mix(0)
        for shift in stride(from: UInt32(0), to: 32, by: 8) { mix(UInt8(truncatingIfNeeded: uid >> shift)) }
        for byte in (userId ?? "").utf8 { mix(byte) }
        // FNV-1a leaves short texts close together in the upper bits; this (the end of MurmurHash3) spreads them.
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        hash = (hash ^ hash >> 33) &* 0xc4ce_b9fe_1a85_ec53
        hash ^= hash >> 33
        return Double(hash % 10_000) / 100
    }
}
