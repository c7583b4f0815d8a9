package import HarkClient
package import HarkWire

/// A presentation of a survey, as reported by the daemon.
package struct ShownSurvey: Sendable {
    package let id: String
    package let surveyId: String
    package let state: String
    package let user: String?
    /// The user id on the machine.
    package let uid: UInt32?
    package let app: String
    /// Whether it belongs to a prompt rather than a survey.
    package let isPrompt: Bool
    /// The user id of the account that runs the asking program; nil for a survey.
    package let askedBy: UInt32?
    /// When it becomes or became ready.
    package let triggerAt: Timestamp?
    /// The reason for its end, if there is one to report.
    package let reason: String?
    package let title: String
    package let message: String
    /// Nil for a type that this version does not know.
    package let responseType: ResponseType?
    package let submitLabel: String?
    /// The text to read once it is answered, if the survey has one.
    package let thanks: Thanks?
    package let questions: [SurveyQuestion]
    /// Whether a question has a type that this version does not know.
    package let isUnknown: Bool
    /// Answers kept from an earlier attempt, by question.
    package let answers: [String: JSONText]
    /// The ids of the questions on the route for those answers; nil if the daemon does not return it.
    package let route: [String]?
    package let notification: Notification?

    package struct Thanks: Sendable, Equatable {
        package let title: String
        package let message: String
    }

    package struct Notification: Sendable, Equatable {
        package let title: String
        package let body: String
        package let sound: Bool
    }

    /// Nil if the value is not a presentation.
    ///
    /// - Parameter id: The id, if the value does not contain it.
    package init?(_ presentation: JSONText) {
        let told = PresentationInfo(presentation)
        guard told.presentationId != PresentationInfo().presentationId else { return nil }
        self.init(told, told.content, id: told.presentationId)
    }

    /// - Parameters:
    ///   - told: The daemon's report of the presentation itself.
    ///   - content: Nil for a survey that is gone from the configuration.
    init(_ told: PresentationInfo, _ content: SurveyContentInfo?, id: Identifier) {
        self.id = id.description
        surveyId = told.surveyId
        state = told.state
        user = told.userId
        uid = UInt32(exactly: told.uid)
        app = told.app
        isPrompt = told.promptId != nil
        askedBy = told.askedBy.flatMap { UInt32(exactly: $0) }
        triggerAt = told.triggerAt == .earliest ? nil : told.triggerAt
        reason = told.reason
        title = content.map(\.title).flatMap { $0.isEmpty ? nil : $0 } ?? surveyId
        message = content?.message ?? ""
        responseType = content.flatMap { ResponseType(rawValue: $0.responseType) }
        submitLabel = content?.submitLabel
        thanks = content?.thanks.map { Thanks(title: $0.title, message: $0.message ?? "") }
        let questions = content?.questions ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        answers = told.answers?.json.membersByName ?? [:]
        route = told.route
        notification = content?.notification.map { Notification(title: $0.title, body: $0.body, sound: $0.sound) }
    }

    /// Whether a choice submits at once.
    package var answersAtOnce: Bool { responseType == .options }
    /// Whether its questions are on successive pages.
    package var hasPages: Bool { responseType == .questions }

    /// The reason for its end, as words for a person who has seen it.
    package var ending: String {
        switch state {
        case "answered": Words.say("it was answered elsewhere")
        case "dismissed": Words.say("it was dismissed elsewhere")
        case "expired": Words.say("its time is over")
        case "cancelled" where reason == "muted": Words.say("it was muted elsewhere")
        case "cancelled": Words.say("it was withdrawn") + (reason.map { " (\($0))" } ?? "")
        case "scheduled": Words.say("it was put off elsewhere")
        case "ready":
            Words.say("it was withdrawn because its texts or the user have changed; 'hark ask' asks again")
        default: "it is \(state)"
        }
    }
}
