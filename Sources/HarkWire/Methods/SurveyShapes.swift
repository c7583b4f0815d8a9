/// What `survey.*` takes and gives.
extension MethodShape {
    package static let surveyList = MethodShape(
        "survey.list", [.optional(.after), .optional(.ruleLimit)],
        result: [
            .always(
                "surveys", .array(.survey),
                "each with `surveyId`, `event` (null: counters alone), `delaySeconds`, `counters` where it looks at "
                    + "some, and what is shown"),
            .next,
        ] + Shape.Member.document(of: "surveys") + [notifyProblem])

    package static let surveyPending = MethodShape(
        "survey.pending",
        [
            .optional(.onlyApp), .optional(.onlyUser), .optional(.onlySurvey), .optional(.after),
            .optional(.pendingLimit),
        ],
        result: [
            .always(
                "surveys", .array(.presentation),
                "each with `presentationId`, `surveyId`, `state`, `userId`, `sessionId`, `app`, `triggerAt`, and "
                    + "what is shown: `title`, `message`, `response`, `questions`, `notification`"),
            .next, notifyProblem,
        ])

    package static let surveyHistory = MethodShape(
        "survey.history",
        [
            .optional(.onlyApp), .optional(.onlyUser), .optional(.onlySurvey), .optional(.after),
            .optional(.pendingLimit), .optional(.onlyMachine), .optional(.onlyGroup), .optional(.allVersions),
        ],
        result: [
            .always(
                "presentations", .array(.presentation),
                "each as in `survey.pending`, without what is shown; where they are known, `presentedAt`, `closedAt`, "
                    + "`reason`, `answers`, and `times`: when what happened"),
            .next,
        ])

    private static let notifyProblem = Shape.Member.always(
        "notifyProblem", .orNull(.string),
        "why nobody sees what is ready, such as no session bus, or that nothing is connected that shows surveys; null: "
            + "nothing is known. What a hook has said only administrators are told")

    package static let surveyPresent = MethodShape(
        "survey.present",
        [.optional(.presentationToShow), .optional(.appToShow), .optional(.locale), .optional(.surface)],
        result: [presentation])

    package static let surveyAnswer = MethodShape(
        "survey.answer",
        [
            .required(.presentation), .optional(.chosenOption), .optional(.writtenText), .optional(.surveyAnswers),
            .optional(.isPartial), .optional(.isHeld), .optional(.isTried), .optional(.locale),
            .optional(.questionShown), .optional(.surfaceOfAnswer),
        ], result: [presentation])

    package static let surveyChange = MethodShape(
        "survey.change",
        [
            .required(.presentation), .optional(.chosenOption), .optional(.writtenText), .optional(.changedAnswers),
            .optional(.takesBack), .optional(.isChangeTried),
        ],
        result: [
            .always("survey", .presentation, "the presentation that has the answers now, with what it `revises`")
        ])

    package static let surveyNotified = MethodShape(
        "survey.notified", [.required(.presentation)], result: [presentation])

    package static let surveyAway = MethodShape(
        "survey.away", [.required(.presentation), .required(.absence)], result: [presentation])

    package static let surveyDismiss = MethodShape(
        "survey.dismiss", [.required(.presentation), .optional(.dismissalScope)], result: [presentation])

    package static let surveySnooze = MethodShape(
        "survey.snooze", [.required(.presentation), .required(.snoozeSeconds)], result: [presentation])

    package static let surveyRelease = MethodShape(
        "survey.release", [.required(.presentation)], result: [presentation])

    private static let presentation = Shape.Member.always(
        "survey", .presentation, "the presentation, as in `survey.pending`")

    package static let surveyExplain = MethodShape(
        "survey.explain",
        [
            .required(.survey), .optional(.userToAsk), .optional(.app), .optional(.pastEvent), .optional(.lastEvent),
        ],
        result: [
            .always("surveyId", .string, "the survey"),
            .always("userId", .orNull(.string), "the user; null: anonymous"),
            .maybe(
                "event", .members([.always("seq", .count), .always("name", .string), .always("timestamp", .time)]),
                "the event that was named"),
            .always("wouldShow", .bool, "whether it would"),
            .always("gatingBypassed", .bool, "debug mode: the checks of gating do not count"),
            .always(
                "checks", .checks, "each with `check`, `passed` and `explanation`, which tells the numbers"),
            .always(
                "notShown", .orNull(.string),
                "why one that waits already is not on a screen; null: none waits, or it is shown as far as is known"),
            .always(
                "notifyProblem", .orNull(.string), "as in `survey.list`; null also while a presenter is there"),
        ])

    package static let surveyReset = MethodShape(
        "survey.reset", [.optional(.userToForget), .optional(.surveyToForget)],
        result: [.always("reset", .count, "for how many surveys something was forgotten")])

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
        NotificationShape(name, meaning, params: [.always("survey", .presentation)])
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
    package static var ruleLimit: Parameter { Parameter("limit", .integer(in: 1...1_000), "surveys a page (1000)") }
    package static var pendingLimit: Parameter {
        Parameter("limit", .integer(in: 1...1_000), "surveys a page (100)")
    }
}

extension Shape {
    private static let response = Shape.members(
        [
            .always("type", .oneOf(["options", "text", "combined"])), .maybe("options", .strings),
            .maybe("optionsLabel", .string),
            .maybe("textField", .members([.maybe("label", .string), .always("required", .bool)] + textRules)),
            .maybe("allowEmpty", .bool), .maybe("submitLabel", .string),
        ] + textRules)

    /// What is shown of a survey, as the members that are always there.
    static let surveyContent: [Member] = [
        .always("title", .string), .always("message", .string),
        .always("responseType", MemberType<ResponseType>.word.shape),
        .maybe("piping", .bool, "true: its texts have places for values, as in `{event.amount}`"),
        .always("questions", .array(.question)), .maybe("submitLabel", .string),
        .maybe("response", response, "unless it has several questions"),
        .maybe(
            "thanks", .members([.always("title", .string), .maybe("message", .string)]), "read once it is answered"),
        .maybe("locale", .string, "of the translation, where it is one"),
        .maybe("shuffle", .bool, "in `survey.definitions`, true: options of it were shown in orders of their own"),
        .maybe(
            "notification",
            .members([.always("title", .string), .always("body", .string), .always("sound", .bool)])),
    ]

    fileprivate static let survey = Shape.named(
        "Survey",
        .members(
            [
                .always("surveyId", .string), .always("event", .orNull(.string), "null: counters alone"),
                .always("delaySeconds", .seconds), .maybe("counters", .object, "the condition, where there is one"),
                .maybe(
                    "plan", .string,
                    "of a schedule, whose participants `event` brings in: the plan part as it is hashed"),
                .maybe("priority", .integers(-1_000...1_000), "unless it is 0"),
                .maybe("groups", .strings, "the groups that it is in"),
                .maybe("variants", .strings, "the ids of its wordings"),
                .maybe("atMost", .strings, "its caps, in words"),
                .maybe("audience", .strings, "what its user must have done or not done, and who it must be, in words"),
                .maybe("cancelOn", .strings, "the events that cancel it while it waits, in words"),
                .maybe("quota", .strings, "how many answers are enough, in words"),
            ] + surveyContent))

    fileprivate static let presentation = Shape.named(
        "Presentation",
        .members(
            [
                .always("presentationId", .id), .always("surveyId", .string),
                .always("state", .oneOf(PresentationState.allCases.map(\.word))),
                .always("userId", .orNull(.string)), .always("uid", .uid), .always("app", .string),
                .always("sessionId", .id), .always("triggerAt", .time), .maybe("expiresAt", .time),
                .maybe("presentedAt", .time), .maybe("closedAt", .time),
                .maybe("promptId", .id, "of the prompt, where a program asks and no survey"),
                .maybe("askedBy", .uid, "the account whose program asks"), .maybe("reason", .string),
                .maybe("answers", .answers),
                .maybe("revises", .id, "the presentation in whose place it is, as its answers were changed"),
                .maybe("revisedBy", .id, "the presentation that is in its place"),
                .maybe("changeableUntil", .time, "until when `survey.change` takes other answers"),
                .maybe("times", times, "in `survey.history`, what is known of it"),
                .maybe("language", .string, "in `survey.history`: the locale that was asked for, as in `de-AT`"),
                .maybe(
                    "version", .string, "in `survey.history`: which of the definitions was shown (`survey.definitions`)"
                ),
                .maybe(
                    "properties", .properties,
                    "in `survey.history`: what is kept of the properties of the event that brought it about"),
                .maybe(
                    "order", .map(.strings),
                    "in `survey.history`, by question: the values of options as they were shown, where `shuffle` has their order drawn"
                ),
            ]
                // A survey that is gone from the configuration is not shown.
                + surveyContent.map { .maybe($0.name, $0.type, $0.meaning) }
                + [
                    .maybe("route", .strings, "the questions on the way that the answers lead"),
                    .maybe("machine", .string, "on a hub: the machine on which it was shown, of which `uid` is then"),
                    .maybe("group", .string, "of that machine, unless it is in none"),
                ]))

    private static let times = Shape.members([
        .maybe("plannedAt", .time, "when it was to be ready as it came about"),
        .maybe("notifiedAt", .time, "when its first notification came up"),
        .maybe("reminders", .count, "how often the person was told of it again"),
        .maybe("lastReminderAt", .time, "when last"),
        .maybe("snoozes", .count, "how often the person put it off"),
        .maybe(
            "putOff",
            .array(
                .members([
                    .always("at", .time), .always("until", .time), .always("by", .oneOf(["person", "quietHours"])),
                ])), "when it was put off, and until when; the last 100"),
        .maybe("openedAt", .time, "when its questions were first before the person"),
        .maybe("firstAnswerAt", .time), .maybe("answeredAt", .time),
        .maybe("surface", MemberType<Surface>.word.shape, "where it was shown or answered last"),
        .maybe("zone", .string, "the machine's time zone then, as in tzdata"),
        .maybe("utcOffsetMinutes", .integers(-1_440...1_440)),
        .maybe("variant", .string, "the id of the wording, where the survey has variants"),
        .maybe(
            "occasion", .oneOf(["fixed", "signal", "interval"]), "of a prompt of a schedule: how its time was placed"),
        .maybe("studyDay", .count, "from 1 on; 0: what was left of the day of joining"),
        .maybe("promptOfDay", .count, "from 1 on"), .maybe("burst", .count, "from 1 on, where there are several"),
        .maybe("studyGroup", .string, "the group with which the participant has joined"),
        .maybe("seconds", .seconds, "how long its questions were before the person, the machine awake"),
        .maybe("asleepSeconds", .seconds, "how long the machine slept meanwhile"),
        .maybe(
            "items",
            .map(
                .members([
                    .maybe("seconds", .seconds), .always("changes", .count), .maybe("firstAt", .time),
                    .maybe("lastAt", .time),
                ])),
            "by question: how long it was before the person, how often its answer was changed, and when it was answered"
        ),
    ])

    fileprivate static let checks = Shape.array(
        .members([.always("check", .string), .always("passed", .bool), .always("explanation", .string)]))
}
