/// Something there is of a user beside sessions, events and log entries.
package struct UserItemInfo: WireObject {
    package var kind = ""
    package var showing: AnyJSON?
    package var asking: AnyJSON?
    package var history: AnyJSON?
    package var participation: AnyJSON?
    package var form: AnyJSON?
    package var profile: AnyJSON?
    package var watch: AnyJSON?
    package var deadLetter: AnyJSON?
    package var record: AnyJSON?

    package init() {}

    package static var title: String? { "UserItem" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("kind", &kind, .oneOf(UserItemKind.allCases.map(\.rawValue)))
        m("showing", &showing, .objectValue, "as in `survey.history`, and what was `shown`")
        m(
            "asking", &asking, .objectValue,
            """
            `surveyId`, `uid`, `attempts`, `presentedAt`, `completedAt`, the times it was `shown` lately, and by \
            app the session of the last showing
            """)
        m(
            "history", &history, .objectValue,
            "`event`, `uid`, and the `times` at which it came, as far as surveys ask for them")
        m("participation", &participation, .objectValue, "as in `study.list`")
        m(
            "form", &form, .objectValue,
            """
            `formId`, `uid`, when it was begun and completed, `answers` and `answeredAt` by question, `draft`, \
            and `submissions` to a server, also of forms that are gone from the configuration
            """)
        m("profile", &profile, .objectValue, "as in `profile.get`, with `uid`")
        m("watch", &watch, .objectValue, "as in `watch.list`: one that waits for events about this user alone")
        m(
            "deadLetter", &deadLetter, .objectValue,
            "records and the destinations that refuse them; administrators see the reason")
        m(
            "record", &record, .shaped(RecordInfo.shape),
            "answers to forms, profiles and closed showings as destinations and hubs get them")
    }
}

package struct UserExportRequest: ListMethod {
    package typealias Result = UserItemPage
    package static let name = "user.export"

    package var user = UserChoice.unsaid
    package var machines = MachineChoice()
    package var after: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", &user, "the user; null: everybody anonymous")
        machines.map(&m)
        m.after(&after)
    }
}

/// The result of `user.export`.
package struct UserItemPage: WireObject {
    package var items = AnyJSON(.null)
    package var next: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "items", &items, .shaped(.array(UserItemInfo.shape)),
            "each with its `kind`, and the data in a member of that name")
        m.next(&next)
    }
}
