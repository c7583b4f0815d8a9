/// A showing of a survey.
package struct PresentationInfo: WireObject {
    package var presentationId = Identifier(high: 0, low: 0)
    package var surveyId = ""
    package var state = ""
    package var userId: String?
    package var uid: Int64 = 0
    package var app = ""
    package var sessionId = Identifier(high: 0, low: 0)
    package var triggerAt = Timestamp.earliest
    package var expiresAt: Timestamp?
    package var presentedAt: Timestamp?
    package var closedAt: Timestamp?
    package var promptId: Identifier?
    package var askedBy: Int64?
    package var reason: String?
    package var answers: AnyJSON?
    package var revises: Identifier?
    package var revisedBy: Identifier?
    package var changeableUntil: Timestamp?
    package var times: ShowingTimesInfo?
    package var language: String?
    package var version: String?
    package var properties: AnyJSON?
    package var order: AnyJSON?
    package var content: SurveyContentInfo?
    package var route: [String]?
    package var machine: String?
    package var group: String?

    package init() {}

    package static var title: String? { "Presentation" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("presentationId", &presentationId)
        m("surveyId", &surveyId)
        m("state", &state, .oneOf(PresentationState.allCases.map(\.word)))
        m("userId", orNull: &userId)
        m("uid", &uid, .uid)
        m("app", &app)
        m("sessionId", &sessionId)
        m("triggerAt", &triggerAt)
        m("expiresAt", &expiresAt)
        m("presentedAt", &presentedAt)
        m("closedAt", &closedAt)
        m("promptId", &promptId, "of the prompt, if a program asks and no survey")
        m("askedBy", &askedBy, .uid, "the account whose program asks")
        m("reason", &reason)
        m("answers", &answers, .shaped(.answers))
        m("revises", &revises, "the presentation whose answers it replaces")
        m("revisedBy", &revisedBy, "the presentation that replaces it")
        m("changeableUntil", &changeableUntil, "until when `survey.change` can change the answers")
        m("times", &times, "in `survey.history`, what is known of it")
        m("language", &language, "in `survey.history`: the locale that was asked for, as in `de-AT`")
        m("version", &version, "in `survey.history`: the definition that was shown (`survey.definitions`)")
        m(
            "properties", &properties, .shaped(.properties),
            """
            in `survey.history`: the kept properties of the event that triggered it
            """)
        m(
            "order", &order, .shaped(.map(.strings)),
            """
            in `survey.history`, by question: the values of options as they were shown, where `shuffle` has \
            their order drawn
            """)
        m.part(&content)
        m("route", &route, "the questions on the way that the answers lead")
        m("machine", &machine, "on a hub: the machine on which it was shown; `uid` is that of this machine")
        m("group", &group, "of that machine, unless it is in none")
    }
}

/// When a showing was put off.
package struct PutOff: WireObject {
    package var at = Timestamp.earliest
    package var until = Timestamp.earliest
    package var by = ""

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("at", &at)
        m("until", &until)
        m("by", &by, .oneOf(["person", "quietHours"]))
    }
}

/// How long a question was before the person.
package struct ItemTimes: WireObject {
    package var seconds: Double?
    package var changes: Int64 = 0
    package var firstAt: Timestamp?
    package var lastAt: Timestamp?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("seconds", &seconds, .span)
        m("changes", &changes, .count)
        m("firstAt", &firstAt)
        m("lastAt", &lastAt)
    }
}

/// What is known of when a survey was shown and answered.
package struct ShowingTimesInfo: WireObject {
    package var plannedAt: Timestamp?
    package var notifiedAt: Timestamp?
    package var reminders: Int64?
    package var lastReminderAt: Timestamp?
    package var snoozes: Int64?
    package var putOff: [PutOff]?
    package var openedAt: Timestamp?
    package var firstAnswerAt: Timestamp?
    package var answeredAt: Timestamp?
    package var surface: String?
    package var zone: String?
    package var utcOffsetMinutes: Int64?
    package var variant: String?
    package var occasion: String?
    package var studyDay: Int64?
    package var promptOfDay: Int64?
    package var burst: Int64?
    package var studyGroup: String?
    package var seconds: Double?
    package var asleepSeconds: Double?
    package var items: AnyJSON?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("plannedAt", &plannedAt, "when it was to be ready as it came about")
        m("notifiedAt", &notifiedAt, "when its first notification came up")
        m("reminders", &reminders, .count, "how often the person was reminded of it")
        m("lastReminderAt", &lastReminderAt, "when last")
        m("snoozes", &snoozes, .count, "how often the person put it off")
        m("putOff", &putOff, "when it was put off, and until when; the last 100")
        m("openedAt", &openedAt, "when its questions were first on the screen")
        m("firstAnswerAt", &firstAnswerAt)
        m("answeredAt", &answeredAt)
        m("surface", &surface, .oneOf(Surface.allCases.map(\.rawValue)), "where it was shown or answered last")
        m("zone", &zone, "the machine's time zone then, as in tzdata")
        m("utcOffsetMinutes", &utcOffsetMinutes, .integer(in: -1_440...1_440))
        m("variant", &variant, "the id of the wording, where the survey has variants")
        m(
            "occasion", &occasion, .oneOf(["fixed", "signal", "interval"]),
            "of a prompt of a schedule: how its time was placed")
        m("studyDay", &studyDay, .count, "from 1 on; 0: what was left of the day of joining")
        m("promptOfDay", &promptOfDay, .count, "from 1 on")
        m("burst", &burst, .count, "from 1 on, where there are several")
        m("studyGroup", &studyGroup, "the participant's group")
        m("seconds", &seconds, .span, "how long its questions were on the screen while the machine was awake")
        m("asleepSeconds", &asleepSeconds, .span, "how long the machine slept meanwhile")
        m(
            "items", &items, .shaped(.map(ItemTimes.shape)),
            """
            by question: how long it was on the screen, how often its answer was changed, and when it was answered
            """)
    }
}
