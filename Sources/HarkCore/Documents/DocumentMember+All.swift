package import HarkWire

extension DocumentMember {
    /// The version up to which this Hark reads documents: the latest in the table.
    package static let newest = all.map(\.since).max() ?? .first

    /// All members that came after version 0.1.0. `docs/reference/versions.md` has them as a table.
    package static let all: [DocumentMember] =
        files + surveys + content + questions + translations

    private static func came(
        _ since: DocumentVersion, _ weight: Weight, _ place: Place, _ names: String...
    ) -> [DocumentMember] {
        names.map { DocumentMember(place, $0, since: since, weight) }
    }

    private static let v020 = DocumentVersion(0, 2, 0)

    private static let files =
        came(v020, .meaning, .surveys, "atMost", "quietHours")
        + came(v020, .companion, .surveys, "groups", "outside")

    private static let surveys =
        came(
            v020, .meaning, .survey, "atMost", "audience", "cancelOn", "changeableSeconds", "finishWithinSeconds",
            "groups", "keepAnswersSeconds", "piping", "priority", "quietHours", "quota", "redactTextAfterSeconds",
            "remindAfterSeconds", "remindOnReturn", "variants", "whenAway")
        + came(v020, .look, .survey, "thanks")
        + came(v020, .companion, .survey, "alarm", "outside", "private")
        + came(v020, .meaning, .trigger, "schedule")

    private static let content =
        came(v020, .meaning, .response, "image", "other", "pattern", "shuffle")
        + came(v020, .companion, .response, "alt")
        + came(v020, .companion, .response, "patternMessage")
        + [
            DocumentMember(.survey, "options", .objects, since: v020, .meaning),
            DocumentMember(.response, "options", .objects, since: v020, .meaning),
        ]
        + came(v020, .meaning, .textField, "pattern") + came(v020, .companion, .textField, "patternMessage")

    private static let questions =
        [
            "ces", "consent", "csat", "date", "matrix", "note", "number", "ranking", "scale", "time", "yes-no",
        ].map { DocumentMember(.question, "type", .word($0), since: v020, .meaning) }
        + came(
            v020, .meaning, .question, "exclusive", "highLabel", "image", "lowLabel", "other", "pattern", "shuffle",
            "when")
        + came(v020, .look, .question, "shape")
        // Members of the new types, and members that depend on another member.
        + came(
            v020, .companion, .question, "alt", "columns", "integer", "max", "min", "patternMessage", "rows", "show",
            "showValue", "step",
            "top", "unit", "version")
        + came(v020, .meaning, .option, "image", "label") + came(v020, .companion, .option, "alt")

    private static let translations =
        came(v020, .look, .texts, "thanks") + came(v020, .companion, .texts, "alt", "other", "patternMessage")
        + [DocumentMember(.texts, "options", .objects, since: v020, .meaning)]
        + came(v020, .companion, .textFieldTexts, "patternMessage")
        + [DocumentMember(.questionTexts, "options", .objects, since: v020, .meaning)]
        + came(
            v020, .companion, .questionTexts, "alt", "columns", "highLabel", "lowLabel", "other", "patternMessage",
            "rows",
            "unit")
}
