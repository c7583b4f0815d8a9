/// The shapes of `form.*`.
extension MethodShape {
    package static let formList = MethodShape(
        "form.list", [.optional(.formUser), .optional(.formApp), .optional(.after), .optional(.formLimit)],
        result: FormPageInfo.members)

    package static let formStart = MethodShape(
        "form.start", whichForm, result: FormStarted.members)

    package static let formAnswer = MethodShape(
        "form.answer",
        [
            .required(.form), .optional(.answeredQuestion), .optional(.answerToQuestion), .optional(.formAnswers),
            .optional(.confirmsAnswers), .optional(.formUser), .optional(.formApp),
        ], result: FormResult.members)

    package static let formDraft = MethodShape(
        "form.draft",
        [
            .required(.form), .optional(.formPage), .optional(.draftAnswers), .optional(.formUser), .optional(.formApp),
        ], result: FormResult.members)

    package static let formRetry = MethodShape(
        "form.retry",
        [
            .required(.form), .optional(.retriedQuestion), .optional(.confirmsRetry), .optional(.formUser),
            .optional(.formApp),
        ],
        result: FormRetried.members)

    package static let formProgress = MethodShape("form.progress", whichForm, result: FormResult.members)

    package static let formReset = MethodShape(
        "form.reset", whichForm, result: RemovedAnswers.members)

    private static let whichForm: [Parameter] = [.required(.form), .optional(.formUser), .optional(.formApp)]
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
