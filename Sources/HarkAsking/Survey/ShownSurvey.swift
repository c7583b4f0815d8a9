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
    /// The user id of the account whose program asks; nil for a survey.
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
    /// What to read once it is answered, if the survey says so itself.
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
    package init?(_ presentation: JSONText, id: String? = nil) {
        guard let id = id ?? presentation.member("presentationId")?.string else { return nil }
        self.id = id
        surveyId = presentation.member("surveyId")?.string ?? ""
        state = presentation.member("state")?.string ?? ""
        user = presentation.member("userId")?.string
        uid = presentation.member("uid")?.int.flatMap { UInt32(exactly: $0) }
        app = presentation.member("app")?.string ?? ""
        isPrompt = presentation.member("promptId") != nil
        askedBy = presentation.member("askedBy")?.int.flatMap { UInt32(exactly: $0) }
        triggerAt = presentation.member("triggerAt")?.string.flatMap { Timestamp($0) }
        reason = presentation.member("reason")?.string
        title = presentation.member("title")?.string ?? surveyId
        message = presentation.member("message")?.string ?? ""
        responseType = presentation.member("responseType")?.string.flatMap(ResponseType.init)
        submitLabel = presentation.member("submitLabel")?.string
        thanks = presentation.member("thanks").flatMap { thanks in
            thanks.member("title")?.string.map {
                Thanks(title: $0, message: thanks.member("message")?.string ?? "")
            }
        }
        let questions = presentation.member("questions")?.elements ?? []
        self.questions = questions.compactMap { SurveyQuestion($0) }
        isUnknown = self.questions.count != questions.count
        answers = presentation.member("answers")?.membersByName ?? [:]
        route = presentation.member("route")?.elements.compactMap(\.string)
        notification = presentation.member("notification").flatMap { Notification($0) }
    }

    /// Whether a choice submits at once.
    package var answersAtOnce: Bool { responseType == .options }
    /// Whether its questions are on successive pages.
    package var hasPages: Bool { responseType == .questions }

    /// The reason for its end, for a person to whom it was shown.
    package var ending: String {
        switch state {
        case "answered": Words.say("it was answered elsewhere")
        case "dismissed": Words.say("it was dismissed elsewhere")
        case "expired": Words.say("its time is over")
        case "cancelled" where reason == "muted": Words.say("it was muted elsewhere")
        case "cancelled": Words.say("it was withdrawn") + (reason.map { " (\($0))" } ?? "")
        case "scheduled": Words.say("it was put off elsewhere")
        case "ready":
            Words.say("it was taken back, for its texts or the user have changed; 'hark ask' asks again")
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
