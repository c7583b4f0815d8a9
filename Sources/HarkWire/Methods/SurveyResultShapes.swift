/// The shapes of methods about survey results and definitions.
extension MethodShape {
    package static let surveyDefinitions = MethodShape(
        "survey.definitions",
        [
            .required(.survey), .optional(.onlyApp), .optional(.onlyUser), .optional(.after), .optional(.onlyMachine),
            .optional(.onlyGroup),
        ],
        result: [
            .always(
                "current", .orNull(.members(Shape.surveyContent)),
                "what the configuration has it show now, without translations; null: it is not there any more"),
            .always(
                "definitions",
                .array(
                    .members([
                        .always("version", .string, "the name of what was shown, as in `survey.history`"),
                        .always("count", .count, "how many showings showed it"), .always("firstAt", .time),
                        .always("lastAt", .time),
                        .always("shown", .object, "what was shown: `title`, `message`, `responseType`, `questions`"),
                    ])), "what showings have shown; each translation is one of its own"),
            .next,
        ])

    package static let surveyResults = MethodShape(
        "survey.results",
        [
            .required(.survey), .optional(.onlyMachine), .optional(.onlyGroup), .optional(.shownSince),
            .optional(.shownUntil), .optional(.waves), .optional(.partedBy),
        ],
        result: [
            .always("surveyId", .string, "the survey")
        ] + Shape.resultCounts + [
            .always(
                "medianSecondsToAnswer", .orNull(.seconds),
                "from showing to answer; null without an answer; of more than 4,096, within 0.8 %"),
            .always("questions", .questionResults, "how often each answer was given, by question"),
            .always("texts", .texts, "the latest texts, newest first"),
            .always(
                "dropOff", .ways,
                "by question, how often somebody had it before them or answered it (`seen`), answered it, and left the survey at it"
            ),
            .maybe(
                "parts",
                .array(
                    .members(
                        [
                            .maybe("from", .time, "with `boundaries`: from when"), .maybe("until", .time),
                            .maybe(
                                "by", Shape.groupKey, "with `by`: what they have in common; null: nothing is known"),
                        ] + Shape.resultCounts + [.always("questions", .questionResults)])),
                "with `boundaries` or `by`: those in which there are showings, with the change from the wave before, or by "
                    + "`variant` from the first one"),
            .maybe("rest", .count, "how many showings are of further parts, for which there was no room (1,000)"),
        ])
}

extension Parameter<Timestamp> {
    package static var shownSince: Parameter { Parameter("since", .time, "only those shown at this time and later") }
    package static var shownUntil: Parameter { Parameter("until", .time, "only those shown before this time") }
}

extension Parameter<[Timestamp]> {
    package static var waves: Parameter {
        Parameter(
            boundaries.name, boundaries.type,
            "where time is cut into waves, ascending, each up to the next one; up to 1,001")
    }
}

extension Parameter<ResultField> {
    package static var partedBy: Parameter {
        Parameter(
            "by", .resultField,
            "showings that are the same in this make a part: \(ResultField.words.map { "`\($0)`" }.joined(separator: ", ")), or "
                + "by its name a property of the event that brought them about (`property.locale` for one that is called like a "
                + "word before, `@@name` for one that begins with `@`)")
    }
}

extension Shape {
    /// The number of showings by outcome.
    fileprivate static let resultCounts: [Member] = [
        .always("shown", .count, "how many were shown, whatever became of them"),
        .always("scheduled", .count, "how many wait for their time"),
        .always("ready", .count, "how many wait to be shown"),
        .always("presented", .count, "how many are being shown"),
        .always("answered", .count, "how many were answered"),
        .always("dismissed", .count, "how many were closed without an answer"),
        .always("abandoned", .count, "how many of those a person left without closing them"),
        .always("expired", .count, "how many ended by themselves"),
        .always("cancelled", .count, "how many were taken away before an answer"),
        .always("people", .count, "how many different users answered, up to 200,000"),
        .always("anonymous", .count, "how many answers are anonymous"),
    ]

    fileprivate static let interval: [Member] = [.always("low", .number), .always("high", .number)]
    fileprivate static let change = Shape.members([.always("value", .number)] + interval)

    fileprivate static let questionResults = Shape.array(
        .members([
            .always("questionId", .string), .maybe("question", .string),
            .always("answered", .count, "how many answered it"),
            .maybe("netPromoterScore", .numbers(-100...100)),
            .maybe("netPromoterInterval", .members(interval), "adjusted Wald, 95 %; not of fewer than 10 answers"),
            .maybe("satisfactionScore", .numbers(0...100), "of a csat question: how many of 100 chose 4 or 5"),
            .maybe("satisfactionInterval", .members(interval), "Wilson, 95 %; not of fewer than 10 answers"),
            .maybe("mean", .number, "of a rating, a ces question, a scale or a number"),
            .maybe("meanInterval", .members(interval), "by Student's t, 95 %; not of fewer than 10 answers"),
            .maybe("change", change, "of the score or the mean, from the wave before"),
            .always(
                "answers",
                .array(
                    .members([
                        .always("value", .string), .always("count", .count),
                        .maybe(
                            "share", .members(interval),
                            "between which shares of all people the true one lies (Wilson, 95 %); not of fewer than 10 answers"
                        ),
                        .maybe("change", change, "of the share, from the wave before (Newcombe)"),
                        .maybe("first", .count, "in a ranking: how often it was the first"),
                        .maybe("meanRank", .number, "in a ranking: its mean place, of those who gave it one"),
                    ]))),
        ]))

    fileprivate static let ways = Shape.array(
        .members([
            .always("questionId", .string), .always("seen", .count), .always("answered", .count),
            .always("left", .count),
        ]))

    fileprivate static let texts = Shape.array(
        .members([
            .always("at", .time), .always("questionId", .string), .always("text", .string),
            .maybe(
                "beside", .members([.always("questionId", .string), .always("value", .string)]),
                "the first choice or number of the same answer"),
        ]))
}
