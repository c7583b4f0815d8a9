/// Parameters and results of `study.*`: participants of surveys with a schedule.
extension MethodShape {
    package static let studyJoin = MethodShape(
        "study.join",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.studyGroup),
            .optional(.ownHours),
        ],
        result: [participant])

    package static let studyLeave = MethodShape(
        "study.leave", [.required(.survey), .optional(.participantUser), .optional(.app)], result: [participant])

    package static let studyPause = MethodShape(
        "study.pause",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.pausedUntil),
            .optional(.pausedSeconds),
        ], result: [participant])

    package static let studyResume = MethodShape(
        "study.resume", [.required(.survey), .optional(.participantUser), .optional(.app)], result: [participant])

    package static let studyList = MethodShape(
        "study.list", [.optional(.onlySurvey), .optional(.onlyUser), .optional(.after), .optional(.participantLimit)],
        result: [
            .always("participants", .array(.participant), "in the order in which they first joined"), .next,
        ])

    package static let studyPlan = MethodShape(
        "study.plan",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.studyGroup),
            .optional(.ownHours),
            .optional(.planDate), .optional(.planDays),
        ],
        result: [
            .always("surveyId", .string), .always("seed", .string),
            .always("participant", .string, "the user or the group whose plan it is, as it is hashed"),
            .always("plan", .string, "the plan part, as it is hashed"),
            .always("zone", .orNull(.string), "the time zone, as in tzdata; null: the machine's, which has no name"),
            .always(
                "days",
                .array(
                    .members([
                        .always("date", .string), .always("studyDay", .count), .maybe("burst", .count),
                        .always("prompts", .array(.time)),
                    ])), "those with prompts"),
        ])

    private static let participant = Shape.Member.always("participant", .participant, "as in `study.list`")
}

/// Why a person would not see a notification now.
package enum Absence: String, Sendable, CaseIterable {
    case locked, idle, doNotDisturb
}

extension Parameter<Absence> {
    package static var absence: Parameter { Parameter("reason", .word, "why nobody sees it now") }
}

extension Parameter<String> {
    package static var participantUser: Parameter {
        Parameter(
            "userId", .stringOrNull,
            "the participant; null: anonymous; without it, the user of the app's current session")
    }
    package static var studyGroup: Parameter {
        Parameter(
            "group", .string,
            "such as a couple or a team: it is in the data, and with `planFor` its members share a plan")
    }
    package static var ownHours: Parameter {
        Parameter("hours", .string, "the participant's own window, such as `08:00-22:00`; without it, the survey's")
    }
    package static var planDate: Parameter {
        Parameter("date", .string, "the first day, such as `2026-11-26`; without it, today")
    }
}

extension Parameter<Int> {
    package static var planDays: Parameter {
        Parameter("days", .integer(in: 1...366), "how many days of the calendar (1)")
    }
    package static var participantLimit: Parameter {
        Parameter("limit", .integer(in: 1...1_000), "at most so many (100)")
    }
}

extension Parameter<Timestamp> {
    package static var pausedUntil: Parameter { Parameter("until", .time, "when the pause ends") }
}

extension Parameter<Int64> {
    package static var pausedSeconds: Parameter {
        Parameter(
            "seconds", .integer(in: 1...316_224_000),
            "how long the pause is; without both, it lasts until `study.resume`")
    }
}

extension Shape {
    fileprivate static let participant = Shape.named(
        "Participant",
        .members([
            .always("surveyId", .string), .always("userId", .orNull(.string)), .always("uid", .uid),
            .always("app", .string), .always("state", .oneOf(["active", "paused", "ended"])),
            .always("joinedAt", .time), .always("dayOne", .string, "the date of day 1"),
            .maybe("group", .string), .maybe("hours", .string, "the participant's own"),
            .maybe("pausedUntil", .time, "when the pause ends; left out if it lasts until `study.resume`"),
            .maybe("endedAt", .time),
            .maybe("reason", .oneOf(["left", "over", "surveyRemoved"])),
            .maybe("nextAt", .time, "the next prompt, once its day is planned; for administrators only"),
        ]))
}
