/// What `harkd --simulate` prints at the end: one simulation, or two to compare.
package struct SimulationResult: WireObject {
    package var simulations: [SimulationInfo] = []
    package var differences: [SimulationDifference]?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("simulations", &simulations)
        m("differences", &differences)
    }
}

/// What came of the simulation of a file.
package struct SimulationInfo: WireObject {
    package var file = ""
    package var events: Int64 = 0
    package var outOfOrder: Int64 = 0
    package var withoutSession: Int64 = 0
    package var realOfOtherSurveys: Int64 = 0
    package var surveys: [SimulatedSurvey] = []
    package var users: Int64 = 0
    package var mostAsked: [SimulatedUser] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("file", &file)
        m("events", &events, .count)
        m("outOfOrder", &outOfOrder, .count)
        m("withoutSession", &withoutSession, .count)
        m("realOfOtherSurveys", &realOfOtherSurveys, .count)
        m("surveys", &surveys)
        m("users", &users, .count)
        m("mostAsked", &mostAsked)
    }
}

/// What came of a survey.
package struct SimulatedSurvey: WireObject {
    package var surveyId = ""
    package var asItWas = false
    package var scheduled: Int64 = 0
    package var shown: Int64 = 0
    package var assumed: Int64 = 0
    package var answered: Int64 = 0
    package var dismissed: Int64 = 0
    package var unanswered: Int64 = 0
    package var unseen: Int64 = 0
    package var waiting: Int64 = 0
    package var whileWaiting: Int64 = 0
    package var reallyShown: Int64 = 0
    package var stopped = AnyJSON(.null)
    package var turnTaken = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("asItWas", &asItWas)
        m("scheduled", &scheduled, .count)
        m("shown", &shown, .count)
        m("assumed", &assumed, .count)
        m("answered", &answered, .count)
        m("dismissed", &dismissed, .count)
        m("unanswered", &unanswered, .count)
        m("unseen", &unseen, .count)
        m("waiting", &waiting, .count)
        m("whileWaiting", &whileWaiting, .count)
        m("reallyShown", &reallyShown, .count)
        m("stopped", &stopped, .objectValue)
        m("turnTaken", &turnTaken, .objectValue)
    }
}

/// How often a user would have been asked.
package struct SimulatedUser: WireObject {
    package var userId: String?
    package var uid: Int64 = 0
    package var shown: Int64 = 0
    package var longestCalmSeconds: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("userId", orNull: &userId)
        m("uid", &uid, .uid)
        m("shown", &shown, .count)
        m("longestCalmSeconds", &longestCalmSeconds, .count)
    }
}

/// How many showings of a survey both files have, and how many one has alone.
package struct SimulationDifference: WireObject {
    package var surveyId = ""
    package var both: Int64 = 0
    package var added: Int64 = 0
    package var gone: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("both", &both, .count)
        m("added", &added, .count)
        m("gone", &gone, .count)
    }
}

/// A showing of a simulation.
package struct SimulatedShowingInfo: WireObject {
    package var surveyId = ""
    package var userId: String?
    package var uid: Int64 = 0
    package var app = ""
    package var cameAboutAt = Timestamp.earliest
    package var presentedAt: Timestamp?
    package var closedAt: Timestamp?
    package var state = ""
    package var reason: String?
    package var assumed = false

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("userId", orNull: &userId)
        m("uid", &uid, .uid)
        m("app", &app)
        m("cameAboutAt", &cameAboutAt)
        m("presentedAt", &presentedAt)
        m("closedAt", &closedAt)
        m("state", &state)
        m("reason", &reason)
        m("assumed", &assumed)
    }
}

/// The events that a simulation wants to know of, and how long before it begins, in milliseconds.
package struct SimulationNeed: WireObject {
    package var events: [String] = []
    package var reach: Int64?

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("events", &events)
        m("reach", orNull: &reach, .count)
    }
}
