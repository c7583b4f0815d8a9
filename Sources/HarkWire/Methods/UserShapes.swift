/// What `user.*` takes and gives.
extension MethodShape {
    package static let userExport = MethodShape(
        "user.export",
        [.optional(.userToExport), .optional(.onlyMachine), .optional(.onlyGroup), .optional(.after)],
        result: [
            .always("items", .array(.userItem), "each with its `kind`, and a member of that name with what there is"),
            .next,
        ])
}

/// What there is of a user beside sessions, events and log entries.
package enum UserItemKind: String, Sendable, CaseIterable {
    /// One showing of a survey, or of a program's question in one of the user's sessions.
    case showing
    /// What is remembered of how often a survey was shown.
    case asking
    /// The person's participation in a survey with a schedule.
    case participation
    case form
    case profile
    case watch
    case deadLetter
    /// What the log has beside events and entries, for destinations and hubs.
    case record
}

extension Parameter<String> {
    package static var userToExport: Parameter {
        Parameter("userId", .stringOrNull, "whose; null: everybody anonymous")
    }
}

extension Shape {
    fileprivate static let userItem = Shape.named(
        "UserItem",
        .members(
            [.always("kind", MemberType<UserItemKind>.word.shape)] + [
                .maybe("showing", .object, "as in `survey.history`, and what was `shown`"),
                .maybe(
                    "asking", .object,
                    "`surveyId`, `uid`, `attempts`, `presentedAt`, `completedAt`, and by app the session of the last showing"
                ),
                .maybe("participation", .object, "as in `study.list`"),
                .maybe(
                    "form", .object,
                    "`formId`, `uid`, when it was begun and completed, `answers` and `answeredAt` by question, `draft`, and "
                        + "`submissions` to a server, also of forms that are gone from the configuration"),
                .maybe("profile", .object, "as in `profile.get`, with `uid`"),
                .maybe("watch", .object, "as in `watch.list`: one that waits for events about this user alone"),
                .maybe(
                    "deadLetter", .object, "which record which destination does not take; administrators are told why"),
                .maybe(
                    "record", .record,
                    "answers to forms, profiles and closed showings as destinations and hubs get them"),
            ]))
}
