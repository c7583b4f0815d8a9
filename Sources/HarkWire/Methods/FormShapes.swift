/// The shapes of `form.*`.
extension MethodShape {
    package static let formList = MethodShape(
        "form.list", [.optional(.formUser), .optional(.formApp), .optional(.after), .optional(.formLimit)],
        result: [
            .always(
                "forms", .formItems,
                "each with `formId`, `title`, `questions` (how many), `progress`, `completed`, `editable`"),
            .next,
        ] + Shape.Member.document(of: "forms"))

    package static let formStart = MethodShape(
        "form.start", whichForm,
        result: [
            .always(
                "form", .form,
                "as in `form.progress`, with all that is needed to show it: `message`, `questions`, "
                    + "`editable` (whether answers can be changed later), `startLabel`, `completionMessage`, "
                    + "`completionLabel`")
        ])

    package static let formAnswer = MethodShape(
        "form.answer",
        [
            .required(.form), .optional(.answeredQuestion), .optional(.answerToQuestion), .optional(.formAnswers),
            .optional(.confirmsAnswers), .optional(.formUser), .optional(.formApp),
        ], result: [standing])

    package static let formDraft = MethodShape(
        "form.draft",
        [
            .required(.form), .optional(.formPage), .optional(.draftAnswers), .optional(.formUser), .optional(.formApp),
        ], result: [standing])

    package static let formRetry = MethodShape(
        "form.retry",
        [
            .required(.form), .optional(.retriedQuestion), .optional(.confirmsRetry), .optional(.formUser),
            .optional(.formApp),
        ],
        result: [.always("retried", .count, "how many answers are sent again"), standing])

    package static let formProgress = MethodShape("form.progress", whichForm, result: [standing])

    package static let formReset = MethodShape(
        "form.reset", whichForm, result: [.always("removed", .count, "how many answers there were")])

    private static let whichForm: [Parameter] = [.required(.form), .optional(.formUser), .optional(.formApp)]

    private static let standing = Shape.Member.always(
        "form", .form,
        "`formId`, `userId`, `title`, `progress`, `completed`, `completedAt`, `route` (the questions on the "
            + "way that the answers lead), `answers`, `draft` where there is one (`page` and `answers`, see `form.draft`), "
            + "and `submissions` where answers go to a server")
}

extension Parameter<String> {
    package static var form: Parameter { Parameter("formId", .string, "which form") }

    /// The user whose forms and profile are meant.
    package static var formUser: Parameter {
        Parameter("userId", .stringOrNull, "whose; without it, the current session's user")
    }
    package static var formApp: Parameter {
        Parameter("app", .string, "whose current session that is; `default` without it")
    }

    package static var answeredQuestion: Parameter { Parameter("questionId", .string, "which question") }
    package static var retriedQuestion: Parameter {
        Parameter("questionId", .string, "the answer to this one; without it, all that failed or wait")
    }
    package static var formPage: Parameter {
        Parameter("page", .string, "the question that is before the user's eyes")
    }
}

extension Parameter<JSONValue> {
    package static var answerToQuestion: Parameter { Parameter("answer", .anything, "the answer to it") }
}

extension Parameter<JSONObject> {
    package static var formAnswers: Parameter {
        Parameter("answers", .object(.changedAnswers), "several at once, by question")
    }
    package static var draftAnswers: Parameter {
        Parameter(
            "answers", .object(.changedAnswers),
            "by question: a text, an option, an array of options or a number; null forgets one")
    }
}

extension Parameter<Bool> {
    package static var confirmsAnswers: Parameter {
        Parameter(
            "confirm", .bool,
            "true: the reply waits until something has become of what is sent, as long as a request may take")
    }
    package static var confirmsRetry: Parameter { Parameter("confirm", .bool, "as in `form.answer`") }
}

extension Parameter<Int> {
    package static var formLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "forms a page (1000)") }
}

extension Shape {
    private static let progress = Shape.named(
        "FormProgress",
        .members([
            .always("answered", .count), .always("total", .count), .always("text", .string),
            .always("next", .orNull(.string), "the question to go on with"), .maybe("waiting", .count),
            .maybe("failed", .count), .maybe("unconfirmed", .count),
        ]))

    private static let submission = Shape.named(
        "Submission",
        .members([
            .always("state", .oneOf(SubmissionState.allCases.map(\.word))), .always("attempts", .count),
            .always("status", .orNull(.integer), "of HTTP"), .maybe("problem", .string),
            .maybe("nextAttemptAt", .time), .maybe("submittedAt", .time),
        ]))

    fileprivate static let form = Shape.named(
        "Form",
        .members([
            .always("formId", .string), .always("userId", .orNull(.string)), .always("title", .string),
            .always("progress", progress), .always("completed", .bool), .always("completedAt", .orNull(.time)),
            .always("route", .strings, "the questions on the way that the answers lead"),
            .always("answers", .answers),
            .maybe(
                "draft",
                .members([.always("page", .orNull(.string)), .always("answers", .answers)])),
            .maybe("submissions", .map(submission), "by question, where answers go to a server"),
            .maybe("message", .string), .maybe("questions", .array(.question)), .maybe("editable", .bool),
            .maybe("startLabel", .string), .maybe("completionMessage", .string), .maybe("completionLabel", .string),
        ]))

    fileprivate static let formItems = Shape.array(
        .members([
            .always("formId", .string), .always("title", .string), .always("questions", .count),
            .always("progress", progress), .always("completed", .bool), .always("editable", .bool),
        ]))
}
