/// What `survey.*` takes and gives.
extension MethodShape {
    package static let surveyPending = MethodShape(
        "survey.pending",
        [
            .optional(.onlyApp), .optional(.onlyUser), .optional(.onlySurvey), .optional(.after),
            .optional(.pendingLimit),
        ],
        result: PresentationPage.members)

    package static let surveyHistory = MethodShape(
        "survey.history",
        [
            .optional(.onlyApp), .optional(.onlyUser), .optional(.onlySurvey), .optional(.after),
            .optional(.pendingLimit), .optional(.onlyMachine), .optional(.onlyGroup), .optional(.allVersions),
        ],
        result: HistoryPage.members)

    package static let surveyPresent = MethodShape(
        "survey.present",
        [.optional(.presentationToShow), .optional(.appToShow), .optional(.locale), .optional(.surface)],
        result: PresentationResult.members)

    package static let surveyAnswer = MethodShape(
        "survey.answer",
        [
            .required(.presentation), .optional(.chosenOption), .optional(.writtenText), .optional(.surveyAnswers),
            .optional(.isPartial), .optional(.isHeld), .optional(.isTried), .optional(.locale),
            .optional(.questionShown), .optional(.surfaceOfAnswer),
        ], result: PresentationResult.members)

    package static let surveyChange = MethodShape(
        "survey.change",
        [
            .required(.presentation), .optional(.chosenOption), .optional(.writtenText), .optional(.changedAnswers),
            .optional(.takesBack), .optional(.isChangeTried),
        ],
        result: ChangedPresentation.members)

    package static let surveyNotified = MethodShape(
        "survey.notified", [.required(.presentation)], result: PresentationResult.members)

    package static let surveyAway = MethodShape(
        "survey.away", [.required(.presentation), .required(.absence)], result: PresentationResult.members)

    package static let surveyDismiss = MethodShape(
        "survey.dismiss", [.required(.presentation), .optional(.dismissalScope)], result: PresentationResult.members)

    package static let surveySnooze = MethodShape(
        "survey.snooze", [.required(.presentation), .required(.snoozeSeconds)], result: PresentationResult.members)

    package static let surveyRelease = MethodShape(
        "survey.release", [.required(.presentation)], result: PresentationResult.members)

    package static let surveyExplain = MethodShape(
        "survey.explain",
        [
            .required(.survey), .optional(.userToAsk), .optional(.app), .optional(.pastEvent), .optional(.lastEvent),
        ],
        result: SurveyExplained.members)

    package static let surveyReset = MethodShape(
        "survey.reset", [.optional(.userToForget), .optional(.surveyToForget)],
        result: ForgottenSurveys.members)

    package static let surveySubscribe = MethodShape(
        "survey.subscribe",
        [.optional(.isPresenter), .optional(.onlyApp), .optional(.presenterLocale), .optional(.surface)],
        result: [.always("subscription", .subscription, "its number on this connection")],
        notifications: [.surveyScheduled, .surveyReady, .surveyPresented, .surveyPresent, .surveyClosed])
}

extension NotificationShape {
    package static let surveyScheduled = survey("survey.scheduled", "A survey waits for its time")
    package static let surveyReady = survey("survey.ready", "A survey can be shown")
    package static let surveyPresented = survey("survey.presented", "A survey is shown elsewhere")
    package static let surveyPresent = survey("survey.present", "A survey is to be shown here")
    package static let surveyClosed = survey("survey.closed", "A survey is over")

    private static func survey(_ name: String, _ meaning: String) -> NotificationShape {
        NotificationShape(name, meaning, params: SurveyNotice.members)
    }
}

extension Parameter<Int64> {
    package static var pastEvent: Parameter {
        Parameter(
            "seq", .integer(in: 1 ... .max),
            "against this event, which you recorded: the app and the user are its own unless they are given")
    }
}

extension Parameter<Bool> {
    package static var lastEvent: Parameter {
        Parameter("last", .bool, "against your last event of the name that the survey listens to, in this app")
    }
}

extension Parameter<String> {
    package static var survey: Parameter { Parameter("surveyId", .string, "which survey") }
    package static var onlySurvey: Parameter { Parameter("surveyId", .string, "only of this survey") }
    package static var surveyToForget: Parameter {
        Parameter("surveyId", .string, "of this survey; without it, of all")
    }

    package static var userToAsk: Parameter {
        Parameter("userId", .stringOrNull, "to whom; without it, the user of the current session")
    }
    package static var userToForget: Parameter {
        Parameter("userId", .stringOrNull, "whose; null or left out: anonymous")
    }

    package static var appToShow: Parameter {
        Parameter("app", .string, "without an id: of which application; `default` without it")
    }
    package static var locale: Parameter {
        Parameter("locale", .string, "the language to show it in, as in `de-AT`")
    }
    package static var presenterLocale: Parameter {
        Parameter("locale", .string, "the language to present in, as in `de-AT`")
    }

    package static var chosenOption: Parameter { Parameter("option", .string, "the choice") }
    package static var writtenText: Parameter { Parameter("text", .string, "the text") }
    package static var questionShown: Parameter {
        Parameter(
            "shown", .string, "with `partial`: the id of the question that is before the person now (the next one)")
    }
}

extension Parameter<Surface> {
    package static var surface: Parameter {
        Parameter(
            "surface", .word,
            "where the person sees it (`app`); with `notification` its questions are not seen, and before a `kiosk` stands "
                + "another person each time")
    }
    package static var surfaceOfAnswer: Parameter {
        Parameter("surface", .word, "where it is answered, if it was not presented (`script`)")
    }
}

extension Parameter<Identifier> {
    package static var presentation: Parameter { Parameter("presentationId", .identifier, "which showing") }
    package static var presentationToShow: Parameter {
        Parameter("presentationId", .identifier, "which one; without it, the next that is ready")
    }
}

extension Parameter<JSONObject> {
    package static var surveyAnswers: Parameter {
        Parameter("answers", .object(.changedAnswers), "by question id; null takes one back")
    }
    package static var changedAnswers: Parameter {
        Parameter("answers", .object(.changedAnswers), "by question id, those that change; null takes one back")
    }
}

extension Parameter<Bool> {
    package static var isPartial: Parameter {
        Parameter("partial", .bool, "true: keep these answers, more will follow")
    }
    package static var isHeld: Parameter {
        Parameter("hold", .bool, "true: keep this answer so that it can be undone; it counts once this connection ends")
    }
    package static var takesBack: Parameter {
        Parameter("takeBack", .bool, "true: all answers are taken back, and count no more")
    }
    package static var allVersions: Parameter {
        Parameter("allVersions", .bool, "true: also those whose answers were changed or taken back since")
    }
    package static var isTried: Parameter {
        Parameter("try", .bool, "true: keep and show nothing, and tell what would come of `partial`")
    }
    package static var isChangeTried: Parameter {
        Parameter(
            "try", .bool, "true: change nothing, and tell whether it could be, and the `route` that the answers take")
    }
    package static var isPresenter: Parameter { Parameter("presenter", .bool, "true: present here") }
}

extension Parameter<Int64> {
    package static var snoozeSeconds: Parameter {
        Parameter("seconds", .integer(in: 1...31_536_000), "for how long; at most a year")
    }
}

extension Parameter<Int> {
    package static var pendingLimit: Parameter {
        Parameter("limit", .integer(in: 1...1_000), "surveys a page (100)")
    }
}
