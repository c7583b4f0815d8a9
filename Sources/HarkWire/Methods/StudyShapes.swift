/// Parameters and results of `study.*`: participants of surveys with a schedule.
extension MethodShape {
    package static let studyJoin = MethodShape(
        "study.join",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.studyGroup),
            .optional(.ownHours),
        ],
        result: ParticipantResult.members)

    package static let studyLeave = MethodShape(
        "study.leave", [.required(.survey), .optional(.participantUser), .optional(.app)],
        result: ParticipantResult.members)

    package static let studyPause = MethodShape(
        "study.pause",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.pausedUntil),
            .optional(.pausedSeconds),
        ], result: ParticipantResult.members)

    package static let studyResume = MethodShape(
        "study.resume", [.required(.survey), .optional(.participantUser), .optional(.app)],
        result: ParticipantResult.members)

    package static let studyList = MethodShape(
        "study.list", [.optional(.onlySurvey), .optional(.onlyUser), .optional(.after), .optional(.participantLimit)],
        result: ParticipantPage.members)

    package static let studyPlan = MethodShape(
        "study.plan",
        [
            .required(.survey), .optional(.participantUser), .optional(.app), .optional(.studyGroup),
            .optional(.ownHours),
            .optional(.planDate), .optional(.planDays),
        ],
        result: StudyPlanInfo.members)
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
