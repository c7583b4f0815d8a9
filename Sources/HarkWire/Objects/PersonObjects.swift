/// What is remembered of how often a survey was shown to a user; only in exports of that user's data.
package struct AskingInfo: WireObject {
    package var surveyId = ""
    package var uid: Int64 = 0
    package var attempts: Int64 = 0
    package var presentedAt: Timestamp?
    package var completedAt: Timestamp?
    package var shown: [String] = []
    package var variant: String?
    package var sessions = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("surveyId", &surveyId)
        m("uid", &uid, .uid)
        m("attempts", &attempts, .count)
        m("presentedAt", orNull: &presentedAt)
        m("completedAt", orNull: &completedAt)
        m("shown", &shown)
        m("variant", &variant)
        m("sessions", &sessions, .objectValue)
    }
}

/// The times at which an event came that surveys ask for.
package struct HistoryInfo: WireObject {
    package var event = ""
    package var uid: Int64 = 0
    package var times: [String] = []

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("event", &event)
        m("uid", &uid, .uid)
        m("times", &times)
    }
}

/// All that is kept of a form of a user, also of questions that are gone.
package struct KeptFormInfo: WireObject {
    package var formId = ""
    package var uid: Int64 = 0
    package var startedAt = Timestamp.earliest
    package var completedAt: Timestamp?
    package var answers = AnyJSON(.null)
    package var answeredAt = AnyJSON(.null)
    package var draft: DraftInfo?
    package var submissions = AnyJSON(.null)

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("formId", &formId)
        m("uid", &uid, .uid)
        m("startedAt", &startedAt)
        m("completedAt", orNull: &completedAt)
        m("answers", &answers, .objectValue)
        m("answeredAt", &answeredAt, .objectValue)
        m("draft", &draft)
        m("submissions", &submissions, .objectValue)
    }
}

/// A record of a user that a destination does not take.
package struct LetterInfo: WireObject {
    package var destination = ""
    package var seq: Int64 = 0
    package var lane = ""
    package var cause = ""
    package var reason: String?
    package var at = Timestamp.earliest
    package var replays: Int64 = 0

    package init() {}

    package mutating func map<Map: MemberMap>(_ m: inout Map) {
        m("destination", &destination)
        m("seq", &seq, .count)
        m("lane", &lane)
        m("cause", &cause)
        m("reason", &reason)
        m("at", &at)
        m("replays", &replays, .count)
    }
}
