/// The states of a presentation, by the numbers they are stored with.
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

/// Where a person meets a survey.
package enum Surface: String, Sendable, CaseIterable {
    case notification, window, terminal
    /// A program of its own that shows surveys.
    case app
    /// A screen that one visitor after the other stands before, of whom nothing is known.
    case kiosk
    /// Nobody is shown anything: a program answers.
    case script

    /// Whether the questions themselves are before the person.
    package var showsQuestions: Bool { self != .notification && self != .script }
}

/// How a survey is answered.
package enum ResponseType: String, Sendable, CaseIterable {
    /// One choice, which submits at once.
    case options
    case text
    /// A choice and a text.
    case combined
    /// One question after the other.
    case questions
}

/// How a question of a survey or a form is answered.
package enum QuestionType: String, Sendable, CaseIterable {
    /// One of the choices, or several.
    case single, multiple
    case text
    /// A number of a scale; of the one from 0 to 10 by which people recommend something.
    case rating, nps
}

/// How an answer stands that goes to a server.
package enum SubmissionState: Int, Sendable, CaseIterable {
    case queued = 0
    case sending = 1
    case submitted = 2
    /// The server has refused it.
    case failed = 3
    /// Nobody knows whether the server has it.
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
