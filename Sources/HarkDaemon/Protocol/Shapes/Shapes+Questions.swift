import HarkCore
import HarkWire

/// What surveys and forms have in replies.
extension Shape {
    static let answer = Shape.either([.string, .strings, .integer])
    static let answers = Shape.map(.answer)

    private static let field: [Member] = [
        .maybe("placeholder", .string), .maybe("minLength", .count), .maybe("maxLength", .count),
    ]

    static let question = Shape.named(
        "Question",
        .members(
            [
                .always("id", .string), .always("type", .oneOf(["single", "multiple", "text", "rating", "nps"])),
                .always("question", .string), .always("required", .bool),
                .maybe(
                    "options",
                    .array(
                        .members([.always("value", .string), .always("label", .string), .maybe("emoji", .string)]))),
                .maybe("minSelections", .count), .maybe("maxSelections", .count), .maybe("scale", .count),
                .maybe("labels", .strings), .maybe("emoji", .strings),
            ] + field))

    private static let response = Shape.members(
        [
            .always("type", .oneOf(["options", "text", "combined"])), .maybe("options", .strings),
            .maybe("optionsLabel", .string),
            .maybe("textField", .members([.maybe("label", .string), .always("required", .bool)] + field)),
            .maybe("allowEmpty", .bool), .maybe("submitLabel", .string),
        ] + field)

    /// What is shown of a survey, as the members that are always there.
    private static let shown: [Member] = [
        .always("title", .string), .always("message", .string),
        .always("responseType", .oneOf(["options", "text", "combined", "questions"])),
        .always("questions", .array(.question)), .maybe("submitLabel", .string),
        .maybe("response", response, "unless it has several questions"),
        .maybe("locale", .string, "of the translation, where it is one"),
        .maybe(
            "notification",
            .members([.always("title", .string), .always("body", .string), .always("sound", .bool)])),
    ]

    static let survey = Shape.named(
        "Survey",
        .members(
            [
                .always("surveyId", .string), .always("event", .orNull(.string), "null: counters alone"),
                .always("delaySeconds", .seconds), .maybe("counters", .object, "the condition, where there is one"),
            ] + shown))

    static let presentation = Shape.named(
        "Presentation",
        .members(
            [
                .always("presentationId", .id), .always("surveyId", .string),
                .always("state", .oneOf(Presentation.State.allCases.map(\.word))),
                .always("userId", .orNull(.string)), .always("uid", .uid), .always("app", .string),
                .always("sessionId", .id), .always("triggerAt", .time), .maybe("expiresAt", .time),
                .maybe("presentedAt", .time), .maybe("closedAt", .time), .maybe("reason", .string),
                .maybe("answers", .answers),
            ]
                // A survey that is gone from the configuration is not shown.
                + shown.map { .maybe($0.name, $0.type, $0.meaning) }
                + [.maybe("route", .strings, "the questions on the way that the answers lead")]))

    static let formProgress = Shape.named(
        "FormProgress",
        .members([
            .always("answered", .count), .always("total", .count), .always("text", .string),
            .always("next", .orNull(.string), "the question to go on with"), .maybe("waiting", .count),
            .maybe("failed", .count), .maybe("unconfirmed", .count),
        ]))

    private static let submission = Shape.named(
        "Submission",
        .members([
            .always("state", .oneOf(Submission.State.allCases.map(\.word))), .always("attempts", .count),
            .always("status", .orNull(.integer), "of HTTP"), .maybe("problem", .string),
            .maybe("nextAttemptAt", .time), .maybe("submittedAt", .time),
        ]))

    static let form = Shape.named(
        "Form",
        .members([
            .always("formId", .string), .always("userId", .orNull(.string)), .always("title", .string),
            .always("progress", .formProgress), .always("completed", .bool), .always("completedAt", .orNull(.time)),
            .always("route", .strings, "the questions on the way that the answers lead"),
            .always("answers", .answers),
            .maybe(
                "draft",
                .members([.always("page", .orNull(.string)), .always("answers", .answers)])),
            .maybe("submissions", .map(submission), "by question, where answers go to a server"),
            .maybe("message", .string), .maybe("questions", .array(.question)), .maybe("editable", .bool),
            .maybe("startLabel", .string), .maybe("completionMessage", .string), .maybe("completionLabel", .string),
        ]))

    static let profile = Shape.named(
        "Profile",
        .members([
            .always("userId", .orNull(.string)), .always("formId", .string), .always("completed", .bool),
            .always("completedAt", .orNull(.time)), .always("values", .object), .always("answers", .answers),
        ]))

    static let profileCopy = Shape.named(
        "ProfileCopy",
        .members([
            .always("version", .integer(in: 1...1)), .always("formId", .string), .always("startedAt", .time),
            .always("completedAt", .orNull(.time)), .always("answers", .answers),
        ]))

    static let formItems = Shape.array(
        .members([
            .always("formId", .string), .always("title", .string), .always("questions", .count),
            .always("progress", .formProgress), .always("completed", .bool), .always("editable", .bool),
        ]))

    static let checks = Shape.array(
        .members([.always("check", .string), .always("passed", .bool), .always("explanation", .string)]))

    static let questionResults = Shape.array(
        .members([
            .always("questionId", .string), .maybe("question", .string),
            .maybe("netPromoterScore", .numbers(-100...100)),
            .always("answers", .array(.members([.always("value", .string), .always("count", .count)]))),
        ]))

    static let texts = Shape.array(
        .members([.always("at", .time), .always("questionId", .string), .always("text", .string)]))
}
