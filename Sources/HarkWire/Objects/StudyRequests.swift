/// The survey with a schedule that is meant, and its participant.
package struct StudyPlace: WireObject, Equatable {
    package var surveyId = ""
    /// Unsaid: the user of the app's current session.
    package var user = UserChoice.unsaid
    package var app: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "which survey")
        m("userId", &user, "the participant; null: anonymous; without it, the user of the app's current session")
        m("app", &app, "the application; `default` without it")
    }
}

/// With what somebody takes part.
package struct StudyTerms: WireObject, Equatable {
    package var group: String?
    package var hours: String?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m(
            "group", &group,
            "such as a couple or a team: it is in the data, and with `planFor` its members share a plan")
        m("hours", &hours, "the participant's own window, such as `08:00-22:00`; without it, the survey's")
    }
}

/// A method about a participant.
package protocol StudyMethod: WireMethod {
    var place: StudyPlace { get set }
}

extension StudyMethod {
    package static var checkedFirst: [String] { ["until", "seconds", "surveyId", "app"] }
}

package struct StudyJoin: StudyMethod {
    package typealias Result = ParticipantResult
    package static let name = "study.join"
    package static let checkedFirst = ["group", "hours", "surveyId", "app"]

    package var place = StudyPlace()
    package var terms = StudyTerms()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        place.map(&m)
        terms.map(&m)
    }
}

package struct StudyLeave: StudyMethod {
    package typealias Result = ParticipantResult
    package static let name = "study.leave"

    package var place = StudyPlace()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        place.map(&m)
    }
}

package struct StudyPause: StudyMethod {
    package typealias Result = ParticipantResult
    package static let name = "study.pause"

    package var place = StudyPlace()
    package var until: Timestamp?
    package var seconds: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        place.map(&m)
        m("until", &until, "when the pause ends")
        m(
            "seconds", &seconds, .integer(in: 1...316_224_000),
            "how long the pause is; without both, it lasts until `study.resume`")
    }
}

package struct StudyResume: StudyMethod {
    package typealias Result = ParticipantResult
    package static let name = "study.resume"

    package var place = StudyPlace()

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        place.map(&m)
    }
}

package struct StudyList: PagedMethod {
    package typealias Result = ParticipantPage
    package static let name = "study.list"
    package static let checkedFirst = ["surveyId", "userId", "limit"]

    package var surveyId: String?
    package var user = UserChoice.unsaid
    package var after: String?
    package var limit: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId, "only of this survey")
        m("userId", &user, "only this user's; null: only anonymous ones")
        m.after(&after)
        m("limit", &limit, .integer(in: 1...1_000), "at most so many (100)")
    }
}

package struct StudyPlan: StudyMethod {
    package typealias Result = StudyPlanInfo
    package static let name = "study.plan"
    package static let checkedFirst = ["surveyId", "app", "group", "hours", "days", "date"]

    package var place = StudyPlace()
    package var terms = StudyTerms()
    package var date: String?
    package var days: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        place.map(&m)
        terms.map(&m)
        m("date", &date, "the first day, such as `2026-11-26`; without it, today")
        m("days", &days, .integer(in: 1...366), "how many days of the calendar (1)")
    }
}
