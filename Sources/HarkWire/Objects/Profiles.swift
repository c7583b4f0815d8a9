/// A user's profile, made of the answers to a form.
package struct ProfileInfo: WireObject {
    package var userId: String?
    package var formId = ""
    package var completed = false
    package var completedAt: Timestamp?
    package var values = AnyJSON(.null)
    package var answers = AnyJSON(.null)

    package init() {}

    package static var title: String? { "Profile" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", orNull: &userId)
        m("formId", &formId)
        m("completed", &completed)
        m("completedAt", orNull: &completedAt)
        m("values", &values, .objectValue)
        m("answers", &answers, .shaped(.answers))
    }
}

/// A profile for another daemon.
package struct ProfileCopyInfo: WireObject {
    package var version: Int64 = 0
    package var formId = ""
    package var startedAt = Timestamp.earliest
    package var completedAt: Timestamp?
    package var answers = AnyJSON(.null)

    package init() {}

    package static var title: String? { "ProfileCopy" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("version", &version, .integer(in: 1...1))
        m("formId", &formId)
        m("startedAt", &startedAt)
        m("completedAt", orNull: &completedAt)
        m("answers", &answers, .shaped(.answers))
    }
}

package struct ProfileGet: OwnerMethod {
    package typealias Result = ProfileResult
    package static let name = "profile.get"

    package var key: String?
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("key", &key, "only this value; `completed`, `completedAt` and `answers` are keys, too")
        owner.map(&m)
    }
}

/// The result of `profile.get`.
package struct ProfileResult: WireObject {
    package var profile: AnyJSON?
    package var value: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "profile", &profile, .shaped(ProfileInfo.shape),
            """
            `userId`, `formId`, `completed`, `completedAt`, `values` by key (null: no rule fits the answers) and the `answers`; \
            without `key`
            """)
        m("value", &value, .anything, "the value of `key`, or null")
    }
}

package struct ProfileSummaryRequest: OwnerMethod {
    package typealias Result = ProfileSummaryText
    package static let name = "profile.summary"

    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { owner.map(&m) }
}

/// The result of `profile.summary`.
package struct ProfileSummaryText: WireObject {
    package var summary: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("summary", orNull: &summary, "the text, from the template in `forms.json`; null before the form is completed")
    }
}

package struct ProfileExport: OwnerMethod {
    package typealias Result = ProfileExported
    package static let name = "profile.export"

    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { owner.map(&m) }
}

/// The result of `profile.export`.
package struct ProfileExported: WireObject {
    package var profile = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "profile", &profile, .shaped(ProfileCopyInfo.shape),
            "for `profile.import`; the same text as long as nothing changes")
    }
}

package struct ProfileImport: OwnerMethod {
    package typealias Result = ProfileImported
    package static let name = "profile.import"

    package var profile = AnyJSON(.null)
    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("profile", &profile, .anObject(ProfileCopyInfo.shape), "the `profile` from `profile.export`")
        owner.map(&m)
    }
}

/// The result of `profile.import`.
package struct ProfileImported: WireObject {
    package var profile = ProfileInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("profile", &profile, "as in `profile.get`")
    }
}

package struct ProfileReset: OwnerMethod {
    package typealias Result = RemovedAnswers
    package static let name = "profile.reset"

    package var owner = FormOwner()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) { owner.map(&m) }
}

/// The result of `profile.reset` and `form.reset`.
package struct RemovedAnswers: WireObject {
    package var removed: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("removed", &removed, .count, "how many answers there were")
    }
}
