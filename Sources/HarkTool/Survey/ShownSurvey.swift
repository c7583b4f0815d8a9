import HarkClient
import HarkWire

/// One showing of a survey, as the daemon tells it.
struct ShownSurvey: Sendable {
    let id: String
    let surveyId: String
    let state: String
    let user: String?
    /// The user of the machine.
    let uid: UInt32?
    let app: String
    /// When it is, or became, ready.
    let triggerAt: Timestamp?
    /// Why it ended, where there is a reason to tell.
    let reason: String?
    let title: String
    let message: String
    /// Nil for one that this version does not know.
    let responseType: ResponseType?
    let submitLabel: String?
    let questions: [SurveyQuestion]
    /// Whether there is a question of a kind that this version does not know.
    let isUnknown: Bool
    /// Answers that were kept from an earlier attempt, by question.
    let answers: [String: JSONText]
    /// The ids of the questions on the way that those answers lead; nil where the daemon does not tell.
    let route: [String]?
    let notification: Notification?

    struct Notification: Sendable, Equatable {
        let title: String
        let body: String
        let sound: Bool
    }

    /// Nil if it is no presentation.
    init?(_ presentation: JSONText) {
        guard let id = presentation.member("presentationId")?.string else { return nil }
        self.id = id
        surveyId = presentation.member("surveyId")?.string ?? ""
        state = presentation.member("state")?.string ?? ""
        user = presentation.member("userId")?.string
        uid = presentation.member("uid")?.int.flatMap { UInt32(exactly: $0) }
        app = presentation.member("app")?.string ?? ""
        triggerAt = presentation.member("triggerAt")?.string.flatMap { Timestamp($0) }
        reason = presentation.member("reason")?.string
        title = presentation.member("title")?.string ?? surveyId
        message = presentation.member("message")?.string ?? ""
        responseType = presentation.member("responseType")?.string.flatMap(ResponseType.init)
        submitLabel = presentation.member("submitLabel")?.string
        let questions = presentation.member("questions")?.elements ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        answers = presentation.member("answers")?.membersByName ?? [:]
        route = presentation.member("route")?.elements.compactMap(\.string)
        notification = presentation.member("notification").flatMap { Notification($0) }
    }

    /// Whether choosing is answering.
    var answersAtOnce: Bool { responseType == .options }
    /// Whether its questions are asked one after the other, on pages.
    var hasPages: Bool { responseType == .questions }

    /// What became of it, for somebody who had it before their eyes.
    var ending: String {
        switch state {
        case "answered": "it was answered elsewhere"
        case "dismissed": "it was dismissed elsewhere"
        case "expired": "its time is over"
        case "cancelled": "it was withdrawn" + (reason.map { " (\($0))" } ?? "")
        case "scheduled": "it was put off elsewhere"
        case "ready": "it was taken back, for its texts or the user have changed; 'hark ask' asks again"
        default: "it is \(state)"
        }
    }
}

extension ShownSurvey.Notification {
    fileprivate init?(_ notification: JSONText) {
        guard let title = notification.member("title")?.string else { return nil }
        self.title = title
        body = notification.member("body")?.string ?? ""
        sound = notification.member("sound")?.bool ?? true
    }
}
