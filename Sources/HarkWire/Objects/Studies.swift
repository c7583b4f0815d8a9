/// A participant of a survey with a schedule.
package struct ParticipantInfo: WireObject {
    package var surveyId = ""
    package var userId: String?
    package var uid: Int64 = 0
    package var app = ""
    package var state = ""
    package var joinedAt = Timestamp.earliest
    package var dayOne = ""
    package var group: String?
    package var hours: String?
    package var pausedUntil: Timestamp?
    package var endedAt: Timestamp?
    package var reason: String?
    package var nextAt: Timestamp?

    package init() {}

    package static var title: String? { "Participant" }

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("userId", orNull: &userId)
        m("uid", &uid, .uid)
        m("app", &app)
        m("state", &state, .oneOf(["active", "paused", "ended"]))
        m("joinedAt", &joinedAt)
        m("dayOne", &dayOne, "the date of day 1")
        m("group", &group)
        m("hours", &hours, "the participant's own")
        m("pausedUntil", &pausedUntil, "when the pause ends; left out if it lasts until `study.resume`")
        m("endedAt", &endedAt)
        m("reason", &reason, .oneOf(["left", "over", "surveyRemoved"]))
        m("nextAt", &nextAt, "the next prompt, once its day is planned; for administrators only")
    }
}

/// The result of methods that change a participation.
package struct ParticipantResult: WireObject {
    package var participant = ParticipantInfo()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("participant", &participant, "as in `study.list`")
    }
}

/// The result of `study.list`.
package struct ParticipantPage: WirePage {
    package var participants: [ParticipantInfo] = []
    package var next: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("participants", &participants, "in the order in which they first joined")
        m.next(&next)
    }

    package var items: [ParticipantInfo] { participants }
}

/// The result of `study.plan`.
package struct StudyPlanInfo: WireObject {
    package var surveyId = ""
    package var seed = ""
    package var participant = ""
    package var plan = ""
    package var zone: String?
    package var days: [StudyPlanDay] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("seed", &seed)
        m("participant", &participant, "the user or the group whose plan it is, as it is hashed")
        m("plan", &plan, "the plan part, as it is hashed")
        m("zone", orNull: &zone, "the time zone, as in tzdata; null: the machine's, which has no name")
        m("days", &days, "those with prompts")
    }
}

/// A day of a plan.
package struct StudyPlanDay: WireObject {
    package var date = ""
    package var studyDay: Int64 = 0
    package var burst: Int64?
    package var prompts: [String] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("date", &date)
        m("studyDay", &studyDay, .count)
        m("burst", &burst, .count)
        m("prompts", &prompts, .times)
    }
}

extension MemberType<[String]> {
    fileprivate static var times: MemberType { MemberType("an array of times", .array(.time), strings.read) }
}
