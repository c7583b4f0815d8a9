/// The states of a presentation, with the numbers that the store keeps.
package enum PresentationState: Int, Sendable, CaseIterable {
    case scheduled = 0
    case ready = 1
    case presented = 2
    case answered = 3
    case dismissed = 4
    case expired = 5
    case cancelled = 6

    package var isOpen: Bool { rawValue <= PresentationState.presented.rawValue }

    package var word: String {
        switch self {
        case .scheduled: "scheduled"
        case .ready: "ready"
        case .presented: "presented"
        case .answered: "answered"
        case .dismissed: "dismissed"
        case .expired: "expired"
        case .cancelled: "cancelled"
        }
    }
}

/// Where a person sees a survey.
package enum Surface: String, Sendable, CaseIterable {
    case notification, window, terminal
    /// Another program that shows surveys.
    case app
    /// A screen for successive anonymous visitors.
    case kiosk
    /// No person sees it: a program answers.
    case script

    /// Whether the person sees the questions themselves.
    package var showsQuestions: Bool { self != .notification && self != .script }

    /// Whether text of both directions stands in one line there as Unicode says. Terminals show its marks.
    package var laysOutBothDirections: Bool { self != .terminal && self != .script && self != .app }
}

/// The way in which a survey is answered.
package enum ResponseType: String, Sendable, CaseIterable {
    /// One choice, which submits at once.
    case options
    case text
    /// A choice and a text.
    case combined
    /// Several questions in sequence.
    case questions
}

/// The type of a question in a survey or form.
package enum QuestionType: String, Sendable, CaseIterable {
    /// One or several of the choices.
    case single, multiple
    case text
    /// A number on a scale; `nps` is the scale from 0 to 10 for recommendations.
    case rating, nps
    /// Ratings with usual words: how satisfied somebody is, 1 to 5, and how easy something was, 1 to 7.
    case csat, ces
    /// A number between two ends, on a slider or as buttons.
    case scale
    /// A number that is typed.
    case number
    /// A date, and a time of day, without a time zone.
    case date, time
    case yesNo = "yes-no"
    /// Whether somebody agrees to a text: yes or no.
    case consent
    /// Choices in an order, the best first.
    case ranking
    /// A text without an answer.
    case note
}

/// How a scale is shown.
package enum ScaleControl: String, Sendable, CaseIterable {
    case slider, buttons

    /// The most steps that are shown as buttons.
    package static let mostButtons = 11
}

/// The values of a `yes-no` question.
package enum YesNo: String, Sendable, CaseIterable {
    case yes, no
}

/// What the steps of a rating look like.
package enum ScaleShape: String, Sendable, CaseIterable {
    case faces, stars
    /// Down and up.
    case thumbs
    case numbers
}

/// The state of an answer that goes to a server.
package enum SubmissionState: Int, Sendable, CaseIterable {
    case queued = 0
    case sending = 1
    case submitted = 2
    /// The server refused it.
    case failed = 3
    /// It is not known whether the server has it.
    case unconfirmed = 4

    package var word: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .submitted: "submitted"
        case .failed: "failed"
        case .unconfirmed: "unconfirmed"
        }
    }

    package init?(word: String) {
        guard let state = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = state
    }
}
