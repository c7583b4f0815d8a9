/// The shapes of `profile.*`.
extension MethodShape {
    package static let profileGet = MethodShape(
        "profile.get", [.optional(.profileKey), .optional(.formUser), .optional(.formApp)],
        result: [
            .maybe(
                "profile", .profile,
                "`userId`, `formId`, `completed`, `completedAt`, `values` by key (null: nothing fits the "
                    + "answers) and the `answers`; without `key`"),
            .maybe("value", .any, "the value of `key`, or null"),
        ])

    package static let profileSummary = MethodShape(
        "profile.summary", whose,
        result: [
            .always(
                "summary", .orNull(.string),
                "the text, by the template in `forms.json`; null before the form is completed")
        ])

    package static let profileReset = MethodShape(
        "profile.reset", whose, result: [.always("removed", .count, "how many answers there were")])

    package static let profileExport = MethodShape(
        "profile.export", whose,
        result: [
            .always("profile", .profileCopy, "for `profile.import`; the same text as long as nothing is changed")
        ])

    package static let profileImport = MethodShape(
        "profile.import", [.required(.exportedProfile)] + whose,
        result: [.always("profile", .profile, "as in `profile.get`")])

    private static let whose: [Parameter] = [.optional(.formUser), .optional(.formApp)]
}

extension Parameter<String> {
    package static var profileKey: Parameter {
        Parameter("key", .string, "only this value; `completed`, `completedAt` and `answers` are keys, too")
    }
}

extension Parameter<JSONObject> {
    package static var exportedProfile: Parameter {
        Parameter("profile", .object(.profileCopy), "what `profile.export` gave")
    }
}

extension Shape {
    fileprivate static let profile = Shape.named(
        "Profile",
        .members([
            .always("userId", .orNull(.string)), .always("formId", .string), .always("completed", .bool),
            .always("completedAt", .orNull(.time)), .always("values", .object), .always("answers", .answers),
        ]))

    fileprivate static let profileCopy = Shape.named(
        "ProfileCopy",
        .members([
            .always("version", .integer(in: 1...1)), .always("formId", .string), .always("startedAt", .time),
            .always("completedAt", .orNull(.time)), .always("answers", .answers),
        ]))
}
